// The one canonical path of a request target, or the reason why there is none. Matchers and routers use only this path,
// so that no spelling of a path is one thing to a rule and another to a handler. Strict, as Spring Security's
// StrictHttpFirewall: an ambiguous target is rejected, not repaired.

/** A target with exactly one reading. */
export interface CanonicalTarget {
  readonly kind: 'canonical';
  /** Decoded, starts with `/`. */
  readonly path: string;
  /** The same path, percent-encoded in one way, for a router behind the chain. */
  readonly encodedPath: string;
  /** Raw, without `?`; not checked. */
  readonly query: string;
}

export interface RefusedTarget {
  readonly kind: 'refused';
  readonly reason: string;
}

const SLASH = 0x2f;
const DOT = 0x2e;
const PERCENT = 0x25;

/** Encoded forms that decode to a separator, a dot, a percent sign, a semicolon or a line end. */
const REFUSED_ESCAPE = /%(?:2[ef5]|5c|3b|00|0a|0d)/i;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const REFUSED_DECODED = /[%;\\\u0000-\u001f\u007f-\u009f\u2028\u2029]|\/\//;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** RFC 9112 §3.2.2: a server must accept the absolute form. User information is not allowed in it (RFC 9110 §4.2.4). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/** Parses a request target from the request line. */
export function canonicalTarget(target: string): CanonicalTarget | RefusedTarget {
  let start = 0;
  if (target.charCodeAt(0) !== SLASH) {
    const absolute = ABSOLUTE_FORM.exec(target);
    if (absolute === null) return refuse('it is neither a path nor an absolute URL');
    if (absolute[1] === '' || absolute[1]!.includes('@'))
      return refuse('its authority is empty or carries user information');
    start = absolute[0].length;
  }
  const question = target.indexOf('?', start);
  const end = question < 0 ? target.length : question;
  const query = question < 0 ? '' : target.slice(question + 1);
  const raw = start === end ? '/' : start === 0 && end === target.length ? target : target.slice(start, end);
  return canonicalPath(raw, query);
}

function canonicalPath(raw: string, query: string): CanonicalTarget | RefusedTarget {
  let escaped = false;
  let dots = false;
  let previous = 0;
  for (let index = 0; index < raw.length; index++) {
    const code = raw.charCodeAt(index);
    if (code <= 0x20 || code > 0x7e) return refuse('it has a blank, a control character or a character beyond ASCII');
    switch (code) {
      case PERCENT:
        escaped = true;
        break;
      case SLASH:
        if (previous === SLASH) return refuse('it has an empty segment ("//")');
        break;
      case DOT:
        if (previous === SLASH) dots = true;
        break;
      case 0x3b:
        return refuse('it has a path parameter (";")');
      case 0x5c:
        return refuse('it has a backslash');
      case 0x23:
        return refuse('it has a fragment ("#")');
      default:
    }
    previous = code;
  }
  if (dots && DOT_SEGMENT.test(raw)) return refuse('it has a dot segment ("." or "..")');
  if (!escaped) return { kind: 'canonical', path: raw, encodedPath: raw, query };
  return decode(raw, query);
}

function decode(raw: string, query: string): CanonicalTarget | RefusedTarget {
  const refused = REFUSED_ESCAPE.exec(raw);
  if (refused !== null) return refuse(`it has the escape "${refused[0]}"`);
  let path: string;
  try {
    // Throws on an invalid escape and on invalid UTF-8, including overlong forms.
    path = decodeURIComponent(raw);
  } catch {
    return refuse('it has an escape that is not UTF-8');
  }
  if (REFUSED_DECODED.test(path)) return refuse('it has an encoded control character or separator');
  return { kind: 'canonical', path, encodedPath: encodePath(path), query };
}

/** Percent-encodes a canonical path: the inverse of decoding, with one spelling for each path. */
export function encodePath(path: string): string {
  return encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
}

function refuse(reason: string): RefusedTarget {
  return { kind: 'refused', reason };
}
