// The public names of the server: what a program or a configuration file imports from `lockstitch`.
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
/** What `resolvers.ts` registers for a scalar of its own; the types that `lockstitch types` makes name it. */
export type { GraphQLScalarType } from 'graphql';
