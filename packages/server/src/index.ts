export { type App, type AppOptions, createApp } from './app.ts';
export { type Config, defineConfig, type RouteAnswer, type RouteRequest, type SeedTarget } from './config/config.ts';
export { type LoadedApp, loadApp } from './config/load-app.ts';
export { createGithub, type Github, type GithubOptions, type GithubUser } from './github/github.ts';
export type { AppServices } from './services.ts';
