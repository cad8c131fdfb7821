// Has compiled code read back as the product's command line does, in threads too. Imported for its effect.
import { enableCompileCache } from 'node:module';

const { directory } = enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;
