export { type Config, defineConfig, type RouteAnswer, type RouteRequest, type SeedTarget } from './config/config.ts';
