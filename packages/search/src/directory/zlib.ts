// Checksums and compression that Node has since 22, taken so that an older one can load the module and be told what it lacks: an import by
// name fails before any module runs.
import zlib from 'node:zlib';

export const { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } = zlib;
