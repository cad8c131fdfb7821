// Who takes part in the example: given and family names of many languages, with the places people of that language
// photograph most often. Real names are common ones, put together at random; nobody in particular is meant.
import type { Random } from './random.ts';
import type { Place, Scene } from './scenes.ts';

/** A region: names as they are written there, in the order they are spoken, and the places around. */
interface Region {
  readonly given: readonly string[];
  readonly family: readonly string[];
  readonly familyFirst?: boolean;
  /** Each place and, as letters, what there is to see: Sea, Peaks, Town, Forest, fields (V), River, Desert, sNow. */
  readonly places: readonly string[];
}

const words = (text: string): readonly string[] => text.split(' ');
const list = (text: string): readonly string[] => text.split(', ');

const REGIONS: readonly Region[] = [
  {
    given: words('Ingrid Sigrid Håkon Øystein Åse Liv Bjørn Solveig Jørgen Kari Tor Maren'),
    family: words('Nygård Bjørnstad Haugen Lønning Sæther Østby Berg Strand Vågen Aasen Dahl Moen'),
    places: list('Bergen spntf, Tromsø spnt, Ålesund spt, Lofoten spn, Stavanger spt, Røros nftv'),
  },
  {
    given: words('Zoë Oliver Amelia George Isla Harry Freya Alfie Poppy Callum Morag Rhys'),
    family: words('Whitfield Ashworth Pryce MacLeod Okafor Hargreaves Penrose Sinclair Barlow Llewellyn Thorne Kapoor'),
    places: list('Whitby st, Edinburgh tpr, St Ives st, Snowdonia pfrv, the Isle of Skye spv, York trv'),
  },
  {
    given: words('Lucía Mateo Sofía Íñigo Martina Andrés Nuria Joaquín Begoña Álvaro Inés Raúl'),
    family: words('García Núñez Ibáñez Ortega Peña Muñoz Castaño Serrano Vázquez Quiroga Rubio Montalbán'),
    places: list('Seville trv, Cádiz st, San Sebastián st, Toledo trv, Cadaqués sv, Granada tpn'),
  },
  {
    given: words('João Inês Tiago Mariana Conceição Rui Beatriz Luís Graça Afonso Leonor Simão'),
    family: words('Gonçalves Magalhães Araújo Simões Falcão Mourão Pires Antunes Leitão Brandão Sequeira Vilaça'),
    places: list('Porto str, Lisbon str, Nazaré s, Sintra tf, the Douro valley rv, Évora tv'),
  },
  {
    given: words('Anaïs Éloïse Théo Gaëlle François Chloé Maël Hélène Jérôme Noémie Loïc Margaux'),
    family: words('Lefèvre Béranger Dubois Guérin Rousseau Hervé Kerguélen Moreau Garçon Villeneuve Bréchet Faucher'),
    places: list('Saint-Malo st, Annecy rpt, Marseille st, Étretat sv, Lyon tr, Chamonix pnf'),
  },
  {
    given: words('Jürgen Anneliese Björn Käthe Lukas Frieda Sören Mareike Günther Lotte Till Henrike'),
    family: words('Müller Größ Köhler Schäfer Weiß Jäger Böttcher Kühn Lindner Vogel Brückner Petersen'),
    places: list('Hamburg str, Dresden trv, Lübeck str, the Black Forest fnvr, Rügen sfv, Bamberg trv'),
  },
  {
    given: words('Zuzana Jiří Božena Matěj Agnieszka Łukasz Małgorzata Wojciech Ľudmila Ondřej Šárka Žofia'),
    family: words('Dvořák Novotný Wiśniewski Kowalczyk Hrubý Zając Černý Jabłoński Šimek Król Růžička Wójcik'),
    places: list('Olomouc tv, Kraków trn, Gdańsk st, Český Krumlov trf, the High Tatras pnfr, Zakopane pnf'),
  },
  {
    given: words('Ayşe Mehmet Zeynep Emre Elif Çağlar Gülşen İbrahim Özge Kerem Defne Tuğba'),
    family: words('Yılmaz Öztürk Şahin Çelik Aydın Güneş Koç Erdoğmuş Kılıç Doğan Ünal Tekin'),
    places: list('Istanbul st, Cappadocia dvn, İzmir st, Trabzon sfp, Antalya sp, Mardin dtv'),
  },
  {
    given: words('Ελένη Γιώργος Δήμητρα Νίκος Κατερίνα Σταύρος Ιωάννα Πέτρος'),
    family: words('Παπαδάκη Γεωργίου Νικολάου Αλεξίου Μαυρίδης Κωστοπούλου Βλάχος Θεοδώρου'),
    places: list('Santorini st, Thessaloniki st, Meteora pvf, Chania st, Hydra s, Nafplio stv'),
  },
  {
    given: words('陽子 健太 美咲 翔太 さくら 大輔 千尋 蓮'),
    family: words('田中 佐藤 渡辺 小林 山口 中村 松本 井上'),
    familyFirst: true,
    places: list('Kyoto tfrn, Hakone prf, Kanazawa tfn, Hokkaidō nvps, Naoshima s, Nikkō frpn'),
  },
  {
    given: words('민준 서연 지우 하은 도윤 수아 예준 지민'),
    family: words('김 이 박 최 정 강 조 윤'),
    familyFirst: true,
    places: list('Seoul trpn, Busan st, Jeju svf, Gyeongju tv, Jeonju tv, Seoraksan pfnr'),
  },
  {
    given: words('Amina Chinedu Ngozi Kwame Abena Tunde Adaeze Kofi Folasade Emeka Yaa Sekou'),
    family: words('Okonkwo Mensah Adeyemi Balogun Owusu Eze Diallo Nwosu Asante Bello Achebe Touré'),
    places: list('Lagos st, Accra st, Cape Coast sf, Dakar st, Abuja tpv, Saint-Louis srd'),
  },
  {
    given: words('Ananya Rohan Priya Arjun Meera Vikram Kavya Aditya Lakshmi Imran Nandini Dev'),
    family: words('Iyer Sharma Banerjee Menon Reddy Chatterjee Qureshi Desai Nair Joshi Bhatt Kulkarni'),
    places: list('Jaipur tdv, Varanasi tr, Kochi str, Darjeeling pvf, Udaipur rtd, Mumbai st'),
  },
  {
    given: words('Layla Omar Yasmin Karim Nour Tarek Salma Youssef Rania Hassan Dalia Ziad'),
    family: words('Haddad Mansour El-Sayed Khoury Benali Farouk Nasser Amrani Rahal Saleh Idrissi Zahra'),
    places: list('Marrakesh tdp, Cairo trd, Beirut st, Essaouira st, Amman td, Tunis st'),
  },
  {
    given: words('Nguyễn Trần Lê Phạm Hoàng Vũ Đặng Bùi'),
    family: words('Thảo Minh Hương Đức Lan Tuấn Quỳnh Sơn'),
    places: list('Hội An trv, Hanoi tr, Hạ Long Bay s, Sa Pa pvf, Huế tr, Đà Lạt fvr'),
  },
  {
    given: words('Camila Thiago Valentina Benjamín Catalina Joaquim Renata Emiliano Itzel Bruno Ximena Nahuel'),
    family: words('Quispe Oliveira Ríos Carvalho Mamani Figueroa Souza Huamán Benítez Cardoso Zapata Peralta'),
    places: list('Valparaíso st, Cusco tp, Cartagena st, Patagonia pnr, Oaxaca tdv, Ouro Preto tf'),
  },
  {
    given: words('Harper Mason Aaliyah Wyatt Hazel Elijah Maya Jackson Nora Caleb Ruby Desmond'),
    family: words('Callahan Brooks Whitehorse Ramirez Sullivan Delgado Freeman Nakamura Hollis Beaumont Larsen Tran'),
    places: list('Big Sur sf, Portland trf, Santa Fe dtn, the Outer Banks s, Yosemite pfrn, New Orleans tr'),
  },
];

/** Latin spelling of the names that have none of their own, for logins. */
const ROMANIZED: Readonly<Record<string, string>> = Object.fromEntries(
  list(
    'Ελένη eleni, Γιώργος giorgos, Δήμητρα dimitra, Νίκος nikos, Κατερίνα katerina, Σταύρος stavros, Ιωάννα ioanna, Πέτρος petros, ' +
      'Παπαδάκη papadaki, Γεωργίου georgiou, Νικολάου nikolaou, Αλεξίου alexiou, Μαυρίδης mavridis, Κωστοπούλου kostopoulou, ' +
      'Βλάχος vlachos, Θεοδώρου theodorou, 陽子 yoko, 健太 kenta, 美咲 misaki, 翔太 shota, さくら sakura, 大輔 daisuke, 千尋 chihiro, 蓮 ren, ' +
      '田中 tanaka, 佐藤 sato, 渡辺 watanabe, 小林 kobayashi, 山口 yamaguchi, 中村 nakamura, 松本 matsumoto, 井上 inoue, ' +
      '민준 minjun, 서연 seoyeon, 지우 jiwoo, 하은 haeun, 도윤 doyun, 수아 sua, 예준 yejun, 지민 jimin, ' +
      '김 kim, 이 lee, 박 park, 최 choi, 정 jung, 강 kang, 조 cho, 윤 yoon',
  ).map((pair) => pair.split(' ')),
);

const LETTERS: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ß: 'ss', æ: 'ae', ı: 'i' };

/** A person of the example, and the index of the region that person is at home in. */
export interface Person {
  readonly githubLogin: string;
  readonly name: string | null;
  readonly avatar: string | null;
  readonly region: number;
}

const SCENES: Readonly<Record<string, Scene>> = {
  s: 'sea',
  p: 'peaks',
  t: 'town',
  f: 'forest',
  v: 'fields',
  r: 'river',
  d: 'desert',
  n: 'snow',
};

const PLACES_BY_REGION: readonly (readonly Place[])[] = REGIONS.map((region) =>
  region.places.map((text) => {
    const cut = text.lastIndexOf(' ');
    return { name: text.slice(0, cut), scenes: Array.from(text.slice(cut + 1), (letter) => SCENES[letter]!) };
  }),
);

/** The places around a region's people. */
export function placesOf(region: number): readonly Place[] {
  return PLACES_BY_REGION[region]!;
}

/** All places of the world of this example. */
export const PLACES: readonly Place[] = PLACES_BY_REGION.flat();

/** Makes `count` people with logins that no two share. A few leave name or avatar out, as people do. */
export function createPeople(random: Random, count: number): readonly Person[] {
  const taken = new Set<string>();
  const people: Person[] = [];
  while (people.length < count) {
    const region = random.below(REGIONS.length);
    const { given, family, familyFirst } = REGIONS[region]!;
    const first = random.pick(given);
    const last = random.pick(family);
    const login = freeLogin(random, toLatin(first), toLatin(last), taken);
    people.push({
      githubLogin: login,
      name: random.chance(0.03) ? null : familyFirst === true ? `${last} ${first}` : `${first} ${last}`,
      avatar: random.chance(0.04) ? null : `/pictures/user-${login}.svg`,
      region,
    });
  }
  return people;
}

function toLatin(name: string): string {
  const known = ROMANIZED[name];
  if (known !== undefined) return known;
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[øłđßæı]/g, (letter) => LETTERS[letter]!)
    .replace(/[^a-z]/g, '');
}

function freeLogin(random: Random, first: string, last: string, taken: Set<string>): string {
  const shapes = [
    `${first}${last}`,
    `${first}-${last}`,
    `${first[0]}${last}`,
    `${first}${last[0]}`,
    `${last}${first[0]}`,
  ];
  let login = random.pick(shapes);
  while (taken.has(login)) login = `${random.pick(shapes)}${2 + random.below(97)}`;
  taken.add(login);
  return login;
}
