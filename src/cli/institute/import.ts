import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { Argument, Option, type Command } from 'commander'
import { getInstitute, listInstitutes } from '../../institutes/institutes.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Context } from '../../platform/context.ts'
import { ROW_FILES } from '../../platform/limits.rules.ts'
import { importOutput, problemOutput } from '../../imports/imports.schemas.ts'
import { ERP_KINDS, IMPORT_MODES, type ErpKind, type ImportMode } from '../../imports/imports.rules.ts'
import {
  cancelImport,
  createImport,
  purgeImports,
  getImport,
  listProblems,
  type Import,
  type ImportFile,
} from '../../imports/imports.service.ts'
import {
  addExamples,
  InputError,
  formatBytes,
  formatTable,
  show,
  wantsJson,
  writeError,
} from '../terminal.ts'
import { readInstituteCode } from '../operator-input.ts'
import { withContext } from '../with-database.ts'

const SHOWN_PROBLEMS = 20
const READ_BYTES = 262_144

type Options = { institute?: string; mode: ImportMode; dryRun?: true }

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description(
      'import students, fees or payments from a CSV or XLSX file, checked whole before any of it is applied',
    )
    .addArgument(new Argument('<kind>', 'what the rows of the file are').choices(ERP_KINDS))
    .argument('<file>', 'its first row names the columns: see docs/erp-developer/import.md')
    .option('--institute <code>', "the institute's code (default: the only one there is)", readInstituteCode)
    .addOption(
      new Option('--mode <mode>', 'all: nothing is applied when any row is bad; good: the good rows are')
        .choices(IMPORT_MODES)
        .default('all'),
    )
    .option('--dry-run', 'check the file and apply nothing')
    .action(runImport)
  addExamples(command, [
    'bursar import students students.xlsx --institute green-park --dry-run',
    'bursar import fees fees-2026.csv --institute green-park',
    'bursar import payments counter-june.csv --institute green-park --mode good',
  ])
}

async function runImport(kind: ErpKind, path: string, options: Options): Promise<void> {
  const handle = await openFile(path)
  // Loaded here, because every other command would start slower for it.
  const { finishImport } = await import('../../imports/engine/steps.service.ts')
  try {
    const file = await readFile(handle, path)
    await withContext(async ctx => {
      const institute = await chooseInstitute(ctx, options.institute)
      const wanted = { kind, mode: options.mode, isDryRun: options.dryRun === true, file }
      const { id } = await createImport(ctx, { instituteId: institute.id }, institute, wanted)
      const bar = new Bar()
      await finishImport(ctx, { instituteId: institute.id, id }, { onProgress: percent => bar.draw(percent) })
      bar.end()
      const one = await getImport(ctx, institute, id)
      await report(ctx, institute, one)
      // It would wait for a decision that is made by running the command again.
      if (one.state === 'checked') await cancelImport(ctx, { instituteId: institute.id }, { institute, id })
      // Files and rows of those that are over; a Bursar that runs does the same.
      while ((await purgeImports(ctx, 1)) > 0);
    })
  } finally {
    await handle.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new InputError(
      code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be opened: ${code}.`,
    )
  }
}

async function readFile(handle: FileHandle, path: string): Promise<ImportFile> {
  const stat = await handle.stat()
  if (!stat.isFile()) throw new InputError(`${path} is not a file.`)
  if (stat.size === 0) throw new InputError(`${path} is empty.`)
  if (stat.size > ROW_FILES.import.bytes) {
    throw new InputError(
      `${path} has ${formatBytes(stat.size)}; at most ${formatBytes(ROW_FILES.import.bytes)} are read. Split it into several.`,
    )
  }
  const read = async (from: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  }
  const hash = createHash('sha256')
  for (let at = 0; at < stat.size; at += READ_BYTES) hash.update(await read(at, READ_BYTES))
  return { bytes: stat.size, digest: hash.digest(), read }
}

async function chooseInstitute(ctx: Context, code: string | undefined): Promise<Institute> {
  if (code !== undefined) return getInstitute(ctx, code)
  const [only, ...others] = await listInstitutes(ctx)
  if (only !== undefined && others.length === 0) return only
  const codes = [only, ...others].flatMap(one => (one === undefined ? [] : [one.code]))
  throw new InputError(
    codes.length === 0
      ? 'There is no institute yet: see bursar institutes create --help.'
      : `Say which institute by --institute: ${codes.join(', ')}.`,
  )
}

/** Exits 1 when rows were refused, so that a script notices. */
async function report(ctx: Context, institute: Institute, one: Import): Promise<void> {
  const page = { cursor: undefined, limit: SHOWN_PROBLEMS }
  const { rows: problems, nextCursor } = await listProblems(ctx, institute, one.id, page)
  const lines = [summary(one)]
  if (one.unknownColumns.length > 0) lines.push(`Columns left out: ${one.unknownColumns.join(', ')}.`)
  if (problems.length > 0) {
    const rows = problems.map(problem => [String(problem.rowNo), problem.column || '-', problem.message])
    lines.push(formatTable(['ROW', 'COLUMN', 'PROBLEM'], rows))
  }
  if (nextCursor !== undefined)
    lines.push(`The rest: GET /api/v1/integrations/erp/imports/${one.id}/problems?cursor=${nextCursor}`)
  show(
    {
      ...importOutput.toJson(one),
      problems: problems.map(problem => problemOutput.toJson(problem)),
      has_more_problems: nextCursor !== undefined,
    },
    lines.join('\n'),
  )
  if (one.state === 'failed' || one.badRows > 0) process.exitCode = 1
}

function summary(one: Import): string {
  const { totalRows, badRows, appliedRows, unchangedRows } = one
  switch (one.state) {
    case 'done':
      return `Imported ${totalRows - badRows} of ${totalRows} rows: ${appliedRows} applied, ${unchangedRows} known already, ${badRows} refused.`
    case 'checked':
      return badRows === 0
        ? `All ${totalRows} rows are good. Nothing was applied; run it again without --dry-run.`
        : `${badRows} of ${totalRows} rows ${badRows === 1 ? 'is' : 'are'} bad. Nothing was applied; correct them, or use --mode good to apply the others.`
    default:
      return `Nothing was applied. ${one.message ?? ''}`.trim()
  }
}

const BAR_WIDTH = 30
const LINE_EVERY = 10

/** Drawn over itself on a terminal, once for the check and once for the rest; elsewhere a line for every tenth. */
class Bar {
  #phase = 0
  #last = 0

  draw(percent: number): void {
    if (wantsJson()) return
    if (percent < this.#last) this.#phase++
    const isTenth = percent < this.#last || percent - this.#last >= LINE_EVERY
    const what = this.#phase === 0 ? 'Checking ' : 'Importing'
    if (process.stderr.isTTY) {
      const full = Math.round((percent / 100) * BAR_WIDTH)
      const bar = '█'.repeat(full).padEnd(BAR_WIDTH, '░')
      process.stderr.write(`\r\u001B[K${what} ${bar} ${String(percent).padStart(3)} %`)
      this.#last = percent
    } else if (isTenth) {
      writeError(`${what} ${percent} %`)
      this.#last = percent
    }
  }

  end(): void {
    if (process.stderr.isTTY && !wantsJson()) process.stderr.write('\r\u001B[K')
  }
}
