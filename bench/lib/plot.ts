// Draws groups of bars as an SVG text that reads on a light and on a dark page. One axis, from zero; nothing else.

/** What to draw. */
export interface BarPlot {
  readonly title: string;
  /** What the numbers are, under the title. */
  readonly subtitle: string;
  readonly groups: readonly string[];
  /** One value for each group. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** A value that everything is measured against, drawn as a line. */
  readonly line?: number;
}

const COLOURS = ['#8a8f98', '#2f6fde', '#d9822b', '#3d9a6c', '#b2478f', '#7a5cc9'];
const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [860, 360, 48, 96, 36];

/** Prints the plot. */
export function printBarPlot({ title, subtitle, groups, series, line }: BarPlot): string {
  const highest = Math.max(line ?? 0, ...series.flatMap(({ values }) => values)) * 1.08;
  const height = HEIGHT - TOP - BOTTOM;
  const y = (value: number): number => TOP + height * (1 - value / highest);
  const groupWidth = (WIDTH - LEFT - 16) / groups.length;
  const barWidth = (groupWidth * 0.82) / series.length;
  const parts: string[] = [];
  const text = (x: number, at: number, what: string, more = ''): void => {
    parts.push(`<text x="${round(x)}" y="${round(at)}"${more}>${escape(what)}</text>`);
  };
  text(LEFT, 26, title, ' font-size="17" font-weight="600"');
  text(LEFT, 46, subtitle, ' opacity="0.75"');
  let x = LEFT;
  for (const [index, { name }] of series.entries()) {
    parts.push(`<rect x="${x}" y="60" width="11" height="11" rx="2" fill="${COLOURS[index % COLOURS.length]}"/>`);
    text(x + 16, 70, name);
    x += 34 + name.length * 7.2;
  }
  for (let tick = 0; tick <= highest; tick += 0.25) {
    parts.push(`<path d="M${LEFT} ${round(y(tick))}H${WIDTH - 16}" class="grid"/>`);
    text(LEFT - 8, y(tick) + 4, tick.toFixed(2), ' text-anchor="end" opacity="0.75"');
  }
  for (const [group, name] of groups.entries()) {
    const start = LEFT + group * groupWidth + groupWidth * 0.09;
    for (const [index, { values }] of series.entries()) {
      const value = values[group]!;
      const left = start + index * barWidth;
      parts.push(
        `<rect x="${round(left)}" y="${round(y(value))}" width="${round(barWidth - 3)}" height="${round(y(0) - y(value))}" rx="2" fill="${COLOURS[index % COLOURS.length]}"/>`,
      );
      text(left + (barWidth - 3) / 2, y(value) - 5, value.toFixed(2), ' text-anchor="middle" font-size="11"');
    }
    text(LEFT + (group + 0.5) * groupWidth, HEIGHT - 12, name, ' text-anchor="middle"');
  }
  if (line !== undefined) parts.push(`<path d="M${LEFT} ${round(y(line))}H${WIDTH - 16}" class="line"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escape(title)}">
<style>
  text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
  [font-size="17"] { font-size: 17px; font-weight: 600; }
  [font-size="11"] { font-size: 11px; }
  .page { fill: #ffffff; }
  .grid { stroke: #1f2328; stroke-opacity: 0.12; }
  .line { stroke: #1f2328; stroke-opacity: 0.6; stroke-dasharray: 5 4; fill: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; }
    .grid { stroke: #e6edf3; stroke-opacity: 0.16; }
    .line { stroke: #e6edf3; }
  }
</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="6"/>
${parts.join('\n')}
</svg>
`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
