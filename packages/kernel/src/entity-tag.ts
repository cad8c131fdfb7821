// If-None-Match: whether the client has the current answer already (RFC 9110 §13.1.2, weak comparison).

/** @param tag of the current answer, with its quotes */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((candidate) => {
    const known = candidate.trim().replace(/^W\//, '');
    return known === '*' || known === tag;
  });
}
