// The many ways to write a path: escapes, dots, slashes, matrix parameters, absolute forms, what proxies and routers have read
// as the same path. Each must be refused or judged as the path that the router behind makes of it.

/** Spellings of paths of two segments. */
export function* spellings(paths: readonly string[]): Generator<string> {
  for (const path of paths) {
    const [, first = '', second = ''] = path.split('/');
    const encoded = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);
    yield* [
      path,
      `${path}/`,
      path.toUpperCase(),
      `/${first.toUpperCase()}/${second}`,
      `/${encoded(first)}/${second}`,
      `/${first}/${encoded(second)}`,
    ];
    yield* [
      `/${encoded(first.toUpperCase())}/${second}`,
      `/${first}/${second}?x=1`,
      `/${first}/${second}%3fx`,
      `/${first}/${second}%23x`,
    ];
    yield* [
      `/${path}`,
      `//${first}/${second}`,
      `/${first}//${second}`,
      `/${first}/./${second}`,
      `/x/../${first}/${second}`,
      `/${first}/x/../${second}`,
      `/./${first}/${second}`,
    ];
    yield* [
      `/%2e/${first}/${second}`,
      `/x/%2e%2e/${first}/${second}`,
      `/x/.%2e/${first}/${second}`,
      `/${first}%2f${second}`,
      `/${first}%2F${second}`,
      `/${first}%5c${second}`,
      `/${first}\\${second}`,
      `\\${first}\\${second}`,
    ];
    yield* [
      `/${first};x=1/${second}`,
      `/${first}/${second};x`,
      `/;/${first}/${second}`,
      `/${first}%3b/${second}`,
      `${path}%00`,
      `${path}%0a`,
      `${path}%0d%0a`,
      `${path}%20`,
      `/%20${first}/${second}`,
      `${path}.`,
      `${path}.json`,
    ];
    yield* [
      `/%25${first}/${second}`,
      `/%2561${first.slice(1)}/${second}`,
      `${path}%E2%80%A8`,
      `/%ef%bc%8f${first}/${second}`,
      `/${first}%u002f${second}`,
      `/${first}%c0%af${second}`,
    ];
    yield* [
      `http://127.0.0.1${path}`,
      `HTTP://127.0.0.1${path}`,
      `http://h:1/x/..${path}`,
      `http://u:p@127.0.0.1${path}`,
      `https://h${path.toUpperCase()}`,
      `http:${path}`,
      `http://127.0.0.1/${path}`,
      `h${path}`,
      `?${path}`,
      `*${path}`,
    ];
    yield* [
      `${path}#x`,
      `/#/..${path}`,
      `/?/..${path}`,
      `/.${path}`,
      `/..${path}`,
      `${path}/.`,
      `${path}/..`,
      `${path}/x/..`,
    ];
  }
}
