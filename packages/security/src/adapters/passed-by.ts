// Detects that Express skipped a layer before the chain only because of the path's spelling. Express matches mounts on
// the raw text, so `/%61dmin` is not under `/admin`. The chain makes it `/admin` for later layers, and a guard mounted
// at `/admin` before the chain would never have run.

type Handle = ((...given: never[]) => unknown) & { readonly stack?: readonly Layer[] };

/** An entry of a router's stack, in Express 4 and 5. */
interface Layer {
  readonly handle?: Handle | undefined;
  readonly route?: { readonly stack: readonly Layer[] } | undefined;
  /** The path of the last match: Express 4, and 5 before 5.3. */
  readonly path?: string | undefined;
  match(path: string): boolean | { readonly path: string };
}

interface Application {
  /** Express 5; the getter of 4 throws. */
  readonly router?: { readonly stack?: readonly Layer[] } | undefined;
  /** Express 4. */
  readonly _router?: { readonly stack?: readonly Layer[] } | undefined;
  readonly parent?: Application | undefined;
}

const isApplication = (value: unknown): value is Application => typeof value === 'function';

type Walk = 'reached' | 'passed by' | 'not here';

/**
 * | @param app the application that runs the chain: `request.app`; the layers of anything else are unknown
 *
 * @param chain the middleware itself
 * @param raw the whole path as Express matches it
 * @param canonical the same path as the chain spells it
 */
export function isPassedBy(app: unknown, chain: Handle, raw: string, canonical: string): boolean {
  const apps: Application[] = [];
  for (let each = app; isApplication(each); each = each.parent) apps.unshift(each);
  return walkApplication(apps, chain, raw, canonical) === 'passed by';
}

function walkApplication([app, ...inner]: readonly Application[], chain: Handle, raw: string, canonical: string): Walk {
  if (app === undefined) return ESCAPED_LETTER.test(raw) ? 'passed by' : 'not here';
  return walk((app._router ?? app.router)?.stack ?? [], inner, chain, raw, canonical);
}

/** Escapes that no client needs. An application whose layers are unknown can be bypassed only with these. */
const ESCAPED_LETTER = /%(?:3\d|[46][1-9a-f]|[57][0-9a])/i;

/** In the order of the router, up to the chain. */
function walk(
  layers: readonly Layer[],
  inner: readonly Application[],
  chain: Handle,
  raw: string,
  canonical: string,
): Walk {
  for (const layer of layers) {
    const taken = matched(layer, raw);
    if (taken === undefined) {
      if (matched(layer, canonical) !== undefined) return 'passed by';
      continue;
    }
    if (layer.handle === chain || layer.route?.stack.some(({ handle }) => handle === chain)) return 'reached';
    const rests = [rest(raw, taken), rest(canonical, matched(layer, canonical) ?? '')] as const;
    const below =
      layer.handle?.name === 'mounted_app'
        ? walkApplication(inner, chain, ...rests)
        : walk(layer.handle?.stack ?? [], inner, chain, ...rests);
    if (below !== 'not here') return below;
  }
  return 'not here';
}

/** The part of the path that a layer matches; undefined if it does not match. */
function matched(layer: Layer, path: string): string | undefined {
  // Express 4 stores the match on the layer, where a waiting request may still need its own.
  const probe: Layer = Object.create(layer);
  try {
    const found = probe.match(path);
    if (found === false) return undefined;
    return (found === true ? probe.path : found.path) ?? '';
  } catch {
    // Express does not run a layer whose parameters do not decode.
    return undefined;
  }
}

function rest(path: string, taken: string): string {
  const left = path.slice(taken.length);
  return left[0] === '/' ? left : `/${left}`;
}
