// Creates elements, without a framework. Texts always become text nodes, so that nothing from the server can become
// script.

type Child = Node | string | number | null | undefined | false;
type Listeners = { readonly [Event in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Event]) => void };

/** Attributes by name; `on` holds listeners; false, null and undefined leave an attribute out, true sets it empty. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | Listeners>> & {
  readonly on?: Listeners;
};

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an HTML element with attributes and children. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an SVG element. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill<Target extends Element>(element: Target, attributes: Attributes, children: readonly Child[]): Target {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value !== 'object') element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const [event, listener] of Object.entries(attributes.on ?? {}))
    element.addEventListener(event, listener as EventListener);
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
  return element;
}
