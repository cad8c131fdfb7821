// Time and memory as the corpus grows tenfold, as a plot: docs/images/search-growth.svg. Both axes are logarithmic, so what grows with
// the corpus rises at 45 degrees and what does not lies flat.
// npm run bench -- search-growth CORPUS QUERIES [SHARES]; CORPUS: the largest; SHARES: of it, as 0.1,0.2,0.5,1
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { digits, printTable } from '../lib/table.ts';
import { corpusLines } from './debian-index.ts';

interface Point {
  readonly docs: number;
  /** Processor microseconds a document. */
  readonly indexMicros: number;
  /** Median of each class. */
  readonly micros: Readonly<Record<string, number>>;
  /** MB. */
  readonly memory: number;
  readonly disk: number;
}

const [corpus, queryFile, shares = '0.1,0.2,0.5,1'] = process.argv.slice(2);
if (corpus === undefined || queryFile === undefined) throw new Error('Name the corpus and the queries.');
let all = 0;
for (const _line of corpusLines(corpus)) all++;
const program = fileURLToPath(new URL('growth-step.ts', import.meta.url));
const points = shares.split(',').map((share) => {
  const args = ['--conditions=source', program, corpus, queryFile, String(Math.round(all * Number(share)))];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Point;
});
const kinds = Object.keys(points[0]!.micros);
printTable(
  'As the corpus grows: median µs of each class, processor µs a document indexed, MB',
  ['documents', ...kinds, 'indexing', 'memory', 'disk'],
  points.map((point) => [
    point.docs,
    ...kinds.map((kind) => digits(point.micros[kind]!)),
    digits(point.indexMicros),
    digits(point.memory),
    digits(point.disk),
  ]),
);

/** Shades that stay apart for the colour-blind (Okabe and Ito), the last two repeated with dashes. */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9', '#000000', '#8f7700'];

interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

/** One logarithmic chart as SVG, its names beside the ends of the lines, moved apart where they would meet. */
function chart(title: string, unit: string, series: readonly Series[], left: number): string {
  const [width, height, top] = [330, 330, 60];
  const xs = points.map(({ docs }) => docs);
  const values = series.flatMap((each) => each.values);
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  const x = (docs: number): number => left + (Math.log10(docs / xs[0]!) / Math.log10(xs.at(-1)! / xs[0]!)) * width;
  const y = (value: number): number => top + height - ((Math.log10(value) - low) / (high - low)) * height;
  const lines: string[] = [
    `<text x="${left}" y="${top - 24}" class="title">${title}</text>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" class="frame"/>`,
  ];
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power).toFixed(1);
    lines.push(
      `<path d="M${left} ${at}h${width}" class="grid"/>`,
      `<text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${(10 ** power).toLocaleString('en')} ${unit}</text>`,
    );
  }
  for (const docs of xs) {
    lines.push(
      `<text x="${x(docs).toFixed(1)}" y="${top + height + 18}" text-anchor="middle">${Math.round(docs / 1000)}k</text>`,
    );
  }
  lines.push(`<text x="${left + width / 2}" y="${top + height + 38}" text-anchor="middle">documents</text>`);
  let lowest = Infinity;
  const ordered = series.map((each, i) => ({ ...each, i })).sort((a, b) => a.values.at(-1)! - b.values.at(-1)!);
  for (const { name, values: own, i } of ordered) {
    const colour = COLOURS[i % COLOURS.length]!;
    const dashes = i >= COLOURS.length ? ' stroke-dasharray="5 3"' : '';
    const path = own.map((value, at) => `${at === 0 ? 'M' : 'L'}${x(xs[at]!).toFixed(1)} ${y(value).toFixed(1)}`);
    lowest = Math.min(lowest - 14, y(own.at(-1)!) + 4);
    lines.push(
      `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`,
      `<text x="${left + width + 8}" y="${lowest.toFixed(1)}" fill="${colour}">${name}</text>`,
    );
  }
  return lines.join('\n');
}

const names: Readonly<Record<string, string>> = {
  term_common: 'common term',
  term_rare: 'rare term',
  or: 'any of 2–4',
  or_stop: 'with “the”, “and”',
  and: 'all of 2–3',
  agg: 'terms aggregation',
  sort: 'sorted by number',
};
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1040 460" role="img" aria-label="Median time of each class of queries, and memory and disk, against the number of documents">
<style>text{font:12px system-ui,sans-serif;fill:#444}text[fill]{fill:revert-layer}.title{font-weight:600;font-size:14px;fill:#111}.frame{fill:none;stroke:#999}.grid{stroke:#ddd;fill:none}</style>
<rect width="1040" height="460" fill="#fff"/>
${chart(
  'A query, median',
  'µs',
  kinds.map((kind) => ({ name: names[kind] ?? kind, values: points.map(({ micros }) => micros[kind]!) })),
  80,
)}
${chart(
  'Memory and disk',
  'MB',
  [
    { name: 'in memory', values: points.map(({ memory }) => memory) },
    { name: 'on disk', values: points.map(({ disk }) => disk) },
  ],
  610,
)}
</svg>
`;
writeFileSync(fileURLToPath(new URL('../../docs/images/search-growth.svg', import.meta.url)), svg);
