// Public exports of `lockstitch`, for programs and configuration files.
import './this-node.ts';

export { type App, type AppOptions, createApp } from './app.ts';
export { type Config, defineConfig, type RouteAnswer, type RouteRequest, type SeedTarget } from './config/config.ts';
export { type AppReading, checkApp, loadApp, type LoadedApp } from './app/load-app.ts';
export type { Overrides, Problem } from './config/load-config.ts';
export { createGithub, type Github, type GithubOptions } from './github/github.ts';
export type { GithubUser } from './github/exchange-code.ts';
export type { AppRequest, AppResponse } from './http/in-process.ts';
export type { Listening } from './http/listen.ts';
export { JSON_PATHS, type JsonPath } from './security/json-paths.ts';
export type { AppServices } from './services.ts';
export type { ResolverContext } from '@lockstitch/graph';
/** Type of a custom scalar in `resolvers.ts`; the output of `lockstitch types` refers to it. */
export type { GraphQLScalarType } from 'graphql';
