// One hit as a card. Documents can be of any application: the title and the picture are found by names and values of
// fields, and the other fields are listed.
import { h } from '../ui/element.ts';
import { describeValue, hasValue, TITLES } from './describe-value.ts';

/** A hit as Elasticsearch gives it. */
export interface Hit {
  readonly _id: string;
  readonly _index: string;
  readonly _score?: number | null;
  readonly _source?: Readonly<Record<string, unknown>>;
}

/** Enough to recognise a document; the answer as JSON below has all fields. */
const MOST_FACTS = 8;
const TEXTS = ['description', 'text', 'summary', 'body', 'content'];

/** Builds the card. */
export function hitCard({ _id: id, _score: score, _source: source = {} }: Hit): HTMLElement {
  const titleKey = TITLES.find((key) => typeof source[key] === 'string' && source[key] !== '');
  const textKey = TEXTS.find((key) => key !== titleKey && typeof source[key] === 'string');
  const pictureKey = Object.keys(source).find((key) => isPicture(source[key]));
  const picture = pictureKey === undefined ? undefined : String(source[pictureKey]);
  const facts = Object.entries(source).filter(
    ([key, value]) => key !== titleKey && key !== textKey && key !== pictureKey && key !== 'id' && hasValue(value),
  );
  return h(
    'article',
    { class: 'panel hit' },
    picture === undefined
      ? null
      : h('img', { class: 'hit-picture', src: picture, alt: '', loading: 'lazy', width: 320, height: 240 }),
    h(
      'div',
      { class: 'hit-body' },
      h('h2', {}, titleKey === undefined ? id : String(source[titleKey])),
      textKey === undefined ? null : h('p', {}, String(source[textKey])),
      h(
        'dl',
        { class: 'facts' },
        ...facts.slice(0, MOST_FACTS).flatMap(([key, value]) => [h('dt', {}, key), h('dd', {}, describeValue(value))]),
      ),
      h('p', { class: 'hit-foot muted' }, `id ${id}`, typeof score === 'number' ? ` · score ${score.toFixed(3)}` : ''),
    ),
  );
}

/** Only addresses of this server: the page may show no others, and a document must not make browsers call other servers. */
function isPicture(value: unknown): boolean {
  return typeof value === 'string' && /^\/(?!\/)[^\s]*\.(?:svg|png|jpe?g|gif|webp|avif)$/i.test(value);
}
