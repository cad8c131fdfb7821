// Turns the films as they were published into rows of this example's types, one NDJSON file a type, for `lockstitch import`.
// It names fields as the schema does and fixes mistakes of the source; it does not write to any database.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

type SourceFilm = Readonly<Record<string, string | number | null>>;
type ImportRow = Readonly<Record<string, unknown>>;

/** Rows by type; a type comes after those it refers to. */
export interface MovieRows {
  readonly Director: readonly ImportRow[];
  readonly Distributor: readonly ImportRow[];
  readonly Genre: readonly ImportRow[];
  readonly Film: readonly ImportRow[];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** The source was collected then. Later years are earlier ones whose century a two-digit year had lost: 2046 is 1946. */
const LAST_YEAR = 2011;

/** Reads the published films and gives the rows to import. */
export function convertMovies(): MovieRows {
  const packed = readFileSync(new URL('./source/movies.json.gz', import.meta.url));
  const films = JSON.parse(gunzipSync(packed).toString('utf8')) as readonly SourceFilm[];
  return {
    Director: namesOf(films, 'Director'),
    Distributor: namesOf(films, 'Distributor'),
    Genre: namesOf(films, 'Major Genre'),
    Film: films.map((film, index) => ({
      id: String(index + 1),
      // A few titles are years, which the source writes as numbers: 1776, 1941, 2012.
      title: film['Title'] === null ? null : String(film['Title']),
      released: toDay(String(film['Release Date'])),
      rating: film['MPAA Rating'] === null ? null : String(film['MPAA Rating']).toUpperCase().replace(/[- ]/g, '_'),
      runningTime: film['Running Time min'],
      distributor: film['Distributor'],
      genre: film['Major Genre'],
      director: film['Director'],
      source: film['Source'],
      creativeType: film['Creative Type'],
      productionBudget: film['Production Budget'],
      usGross: film['US Gross'],
      worldwideGross: film['Worldwide Gross'],
      usDvdSales: film['US DVD Sales'],
      rottenTomatoes: film['Rotten Tomatoes Rating'],
      imdbRating: film['IMDB Rating'],
      imdbVotes: film['IMDB Votes'],
    })),
  };
}

function namesOf(films: readonly SourceFilm[], key: string): readonly ImportRow[] {
  const names = new Set(films.flatMap((film) => (film[key] === null ? [] : [String(film[key])])));
  return [...names].sort().map((name) => ({ name }));
}

/** `Jun 12 1998` → `1998-06-12`. */
function toDay(text: string): string {
  const [month, day, year] = text.split(' ');
  const number = MONTHS.indexOf(month!) + 1;
  const full = Number(year) > LAST_YEAR ? Number(year) - 100 : Number(year);
  return `${full}-${String(number).padStart(2, '0')}-${day}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = process.argv[2];
  if (folder === undefined) {
    process.stderr.write('Name the folder to write to: node examples/movies/convert.ts <folder>\n');
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  for (const [type, rows] of Object.entries(convertMovies())) {
    const file = join(folder, `${type.toLowerCase()}s.ndjson`);
    writeFileSync(file, (rows as readonly ImportRow[]).map((row) => `${JSON.stringify(row)}\n`).join(''));
    process.stdout.write(`${file}: ${rows.length} rows\n`);
  }
}
