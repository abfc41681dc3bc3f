/**
 * Every limit of what comes from outside stands here, so that one person's file, upload or message cannot take what
 * belongs to all. Parsers and routes have no figures of their own; docs/operator/limits.md quotes these, and a test
 * compares the two.
 */

/** The processes that read files, beside each process of Bursar, and how many files of one school wait for them. Seconds are several times what the largest file takes. */
export const READER = { processes: 2, waiting: 20, seconds: 60, heapMb: 128 } as const

/**
 * The processes that print papers, beside each process of Bursar, and how many papers of one school wait for them: as many to
 * be looked at and as many to be mailed. Two print hundreds a second; one for each core would be the memory of all on a large machine.
 */
export const PRINTER = { processes: 2, waiting: 100, seconds: 30, heapMb: 256 } as const

/**
 * Papers of a whole school as one file: a school makes and downloads one at a time, so it never has every printer of them.
 * What a slow reader has not taken yet waits in memory, so there are no more of them in all.
 */
export const PILES = { perSchool: 1, inAll: 8, processes: 2, seconds: 300, students: 10_000 } as const

/** What every file of rows may have, whatever it is for. What is longer or wider is cut, or refused where that would lose something. */
export const ROW = { columns: 500, characters: 100_000, cellCharacters: 2_000 } as const

/** What the main thread takes of a file at a stretch, while requests wait; one row more may exceed it. */
export const BATCH = { rows: 125, cells: 2_500, characters: 50_000 } as const

/** Limits of a spreadsheet: its archive, its list of texts, and its other parts. */
export const ARCHIVE = {
  entries: 2_000,
  unpackedBytes: 200_000_000,
  texts: 4_000_000,
  textBytes: 100_000_000,
  relations: 10_000,
  styles: 100_000,
  merges: 20_000,
  formatCharacters: 255,
  rowNumber: 1_048_576,
  markupCharacters: 1_000_000,
  depth: 100,
} as const

/** Sums over a file. Rows do not count its header; characters and cells count what is left after cutting. */
export type RowLimits = { rows: number; cells: number; characters: number }

/** Files of rows, by what they are for: they are read in a process of their own. */
export const ROW_FILES = {
  import: { bytes: 50_000_000, rows: 200_000, cells: 10_000_000, characters: 100_000_000 },
  roster: { bytes: 10_000_000, rows: 20_000, cells: 2_000_000, characters: 20_000_000 },
  links: { bytes: 5_000_000, rows: 10_000, cells: 1_000_000, characters: 20_000_000 },
  structure: { bytes: 2_000_000, rows: 10_000, cells: 500_000, characters: 5_000_000 },
  statement: { bytes: 5_000_000, rows: 20_000, cells: 1_000_000, characters: 20_000_000 },
} as const satisfies Record<string, RowLimits & { bytes: number }>

/** Files that are kept as they are. */
const KEPT_FILES = {
  logo: { bytes: 250_000 },
  letter: { bytes: 5 * 1024 * 1024 },
} as const satisfies Record<string, { bytes: number }>

export type RowFileKind = keyof typeof ROW_FILES
export type FileKind = RowFileKind | keyof typeof KEPT_FILES

export const FILES: Readonly<Record<FileKind, { bytes: number }>> = { ...ROW_FILES, ...KEPT_FILES }

/** Limits of JSON bodies and callbacks: parsing many small values takes far longer than parsing few long ones. */
export const JSON_BODY = { bytes: 1_048_576, values: 20_000, depth: 64 } as const

/** Limits of the bytes of such bodies and of forms that one process holds, from their first byte until they are answered: of a school by its keys or of a network, and in all. */
export const BODIES = { perSender: 33_554_432, inAll: 134_217_728 } as const

/** Limits of a form of the families' pages. */
export const FORM = { bytes: 262_144, fields: 200 } as const

/** Seconds in which a request has come whole, its headers and body; a file may take longer as long as it comes quickly enough. */
export const REQUEST = { seconds: 30 } as const

/**
 * Uploads under way, from before the first byte until the answer: of a key and of a school over all processes, in all in each
 * of them. Beside the seconds of any request a file has one for each so many bytes that have come: slow lines of an office
 * are served, and whoever trickles bytes gains nothing.
 */
export const UPLOADS = {
  perKey: 4,
  perSchool: 8,
  inAll: 30,
  idleSeconds: 20,
  bytesPerSecond: 50_000,
} as const

/** Lists that are being downloaded from one process of Bursar; each holds a connection to the database. */
export const EXPORTS = { perSchool: 2, inAll: 8 } as const

/** Limits for comparing and matching a statement's lines; more are left for the next round, or refused. */
export const MATCHING = {
  knownLines: 20_000,
  openLines: 20_000,
  expected: 50_000,
  referencesPerLine: 20,
  namedPerLine: 50,
} as const
