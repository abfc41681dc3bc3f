import { InvalidArgumentError, type Command } from 'commander'
import { NO_INSTITUTE, recordAudit, type AuditNote } from '../console/audit/audit.service.ts'
import { getInstitute } from '../institutes/institutes.service.ts'
import {
  addLender,
  checkLender,
  chooseLender,
  listLenders,
  pauseLender,
  rotateLender,
  type ListedLender,
} from '../loans/lenders/lenders.service.ts'
import { markUrl } from '../platform/cell-mark.rules.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { formatRupees, paiseOf, parseRupees, type Paise } from '../platform/money.ts'
import { addExamples, InputError, formatTable, formatTime, show } from './terminal.ts'
import { readInstituteCode, readName } from './operator-input.ts'
import { withContext } from './with-database.ts'

type AddOptions = {
  title: string
  url?: string
  desk?: true
  least?: Paise
  most?: Paise
  rate: number
  months: number
}

export function addLenderCommands(program: Command): void {
  const lenders = program
    .command('lenders')
    .description('who lends to families: by the lender protocol, or at a desk')
  addExamples(lenders, [
    'bursar lenders add vidya --title "Vidya Finance" --url https://lender.example.com/bursar',
    'bursar lenders use vidya --institute green-park',
  ])
  addSetUpCommands(lenders)

  const list = lenders.command('list').description('show every lender, never its secret').action(runList)
  addExamples(list, ['bursar lenders list', 'bursar lenders list --json'])

  const check = lenders
    .command('check')
    .description('make one signed call to the lender and say what is wrong')
    .argument('<code>', 'the lender')
    .action(runCheck)
  addExamples(check, ['bursar lenders check vidya'])

  const pause = lenders
    .command('pause')
    .description('send it no new applications; those it has go on. --undo resumes')
    .argument('<code>', 'the lender')
    .option('--undo', 'send it applications again')
    .action(runPause)
  addExamples(pause, ['bursar lenders pause vidya', 'bursar lenders pause vidya --undo'])

  const rotate = lenders
    .command('rotate')
    .description('make a new secret, shown this once; the old one is accepted for another week')
    .argument('<code>', 'the lender')
    .option(
      '--force',
      'also within a week of the last time, which ends the secret that the lender may still use',
    )
    .action(runRotate)
  addExamples(rotate, ['bursar lenders rotate vidya'])
}

function addSetUpCommands(lenders: Command): void {
  const add = lenders
    .command('add')
    .description('add a lender; the secret of one with an API is shown this once')
    .argument('<code>', 'a short name: lower-case letters, digits and hyphens')
    .requiredOption('--title <name>', 'the name that parents know', readName)
    .option('--url <url>', 'where its API is (docs/lender/protocol.md)')
    .option('--desk', 'it has no API: its people work in the console')
    .option('--least <rupees>', 'the least it lends (default: 5000)', readRupees)
    .option('--most <rupees>', 'the most it lends (default: 1000000)', readRupees)
    .option('--rate <percent>', 'typical interest a year, shown before a parent applies', readPercent, 12)
    .option('--months <number>', 'typical number of EMIs', readMonths, 12)
    .action(runAdd)
  addExamples(add, [
    'bursar lenders add vidya --title "Vidya Finance" --url https://lender.example.com/bursar --rate 12.5',
    'bursar lenders add sahakari --title "Sahakari Bank" --desk --least 10000 --most 300000',
  ])

  const use = lenders
    .command('use')
    .description("send an institute's new applications to a lender; without a code, to none")
    .argument('[code]', 'the lender')
    .requiredOption('--institute <code>', "the institute's code", readInstituteCode)
    .action(runUse)
  addExamples(use, [
    'bursar lenders use vidya --institute green-park',
    'bursar lenders use --institute green-park',
  ])
}

async function runAdd(code: string, options: AddOptions): Promise<void> {
  const { title, url, desk, least, most, rate, months } = options
  if ((url === undefined) === (desk === undefined))
    throw new InputError('Say how it works: --url for a lender with an API, or --desk for one without.')
  await withContext(async ctx => {
    const lender = {
      code,
      title,
      kind: desk === true ? ('desk' as const) : ('api' as const),
      apiUrl: url ?? null,
      leastPaise: least ?? paiseOf(5_000_00),
      mostPaise: most ?? paiseOf(1_000_000_00),
      yearlyRateBp: Math.round(rate * 100),
      months,
    }
    const after = { title, url, least: lender.leastPaise / 100, most: lender.mostPaise / 100 }
    const note = { what: 'lender.added', about: code, after }
    const { secret } = await addLender(ctx, lender, auditBy(ctx, note))
    const callback = markUrl(`${ctx.publicUrl}/callbacks/lenders/${code}`, ctx, null)
    const how =
      secret === null
        ? `Its people get in by: bursar users create EMAIL --name NAME --lender ${code}`
        : `Give the lender this secret, which is shown only now, and the address that it reports to:\n  ${secret}\n  ${callback}`
    show(
      { code, ...(secret === null ? {} : { secret, callback_url: callback }) },
      `${title} is added. ${how}\nLet an institute use it: bursar lenders use ${code} --institute CODE`,
    )
  })
}

async function runUse(code: string | undefined, options: { institute: string }): Promise<void> {
  await withContext(async ctx => {
    const institute = await getInstitute(ctx, options.institute)
    const note = { what: 'lender.chosen', about: institute.code, after: { lender: code ?? null } }
    await chooseLender(ctx, institute, code ?? null, auditBy(ctx, note, institute.id))
    show(
      { institute: institute.code, lender: code ?? null },
      code === undefined
        ? `${institute.name} has no lender now.`
        : `New applications of ${institute.name} go to ${code}.`,
    )
  })
}

async function runList(): Promise<void> {
  await withContext(async ctx => {
    const lenders = await listLenders(ctx)
    const headings = ['CODE', 'NAME', 'BY', 'LENDS', 'INSTITUTES', 'OPEN', 'STATE']
    const rows = lenders.map(lender => [
      lender.code,
      lender.title,
      lender.apiUrl ?? 'desk',
      `${formatRupees(lender.leastPaise)} to ${formatRupees(lender.mostPaise)}`,
      lender.institutes.join(', ') || 'none',
      String(lender.openApplications),
      lender.pausedAt === null ? 'active' : 'paused',
    ])
    const hint = 'None yet. Add one: bursar lenders add CODE --title NAME --url URL'
    show(lenders.map(toJson), rows.length === 0 ? hint : formatTable(headings, rows))
  })
}

function toJson(lender: ListedLender): object {
  const { code, title, kind, apiUrl, institutes, openApplications, pausedAt, previousUntil } = lender
  return {
    code,
    title,
    kind,
    ...(apiUrl === null ? {} : { url: apiUrl }),
    least: lender.leastPaise / 100,
    most: lender.mostPaise / 100,
    institutes,
    open_applications: openApplications,
    state: pausedAt === null ? 'active' : 'paused',
    ...(previousUntil === null ? {} : { previous_secret_until: previousUntil }),
  }
}

async function runCheck(code: string): Promise<void> {
  await withContext(async ctx => {
    const { kind, flaw } = await checkLender(ctx, code)
    if (flaw !== null) throw new InputError(flaw)
    show(
      { code, ok: true },
      kind === 'desk' ? `${code} has no API: there is nothing to ask.` : `${code} answers.`,
    )
  })
}

async function runPause(code: string, options: { undo?: true }): Promise<void> {
  await withContext(async ctx => {
    const isPaused = options.undo !== true
    const note = { what: isPaused ? 'lender.paused' : 'lender.resumed', about: code }
    await pauseLender(ctx, code, isPaused, auditBy(ctx, note))
    const text = isPaused
      ? `${code} gets no new applications.`
      : `${code} gets applications again from the institutes that use it.`
    show({ code, paused: isPaused }, text)
  })
}

async function runRotate(code: string, options: { force?: true }): Promise<void> {
  await withContext(async ctx => {
    const audit = auditBy(ctx, { what: 'lender.secret_rotated', about: code })
    const { secret, until } = await rotateLender(ctx, code, { isForced: options.force === true, audit })
    show(
      { code, secret, previous_until: until },
      `Give the lender this secret, which is shown only now:\n  ${secret}\nThe old one is accepted until ${formatTime(until)}.`,
    )
  })
}

/** The note belongs to the institute whose families it concerns, else to the installation. */
function auditBy(ctx: Context, note: AuditNote, instituteId = NO_INSTITUTE) {
  return (tx: Transaction): Promise<void> =>
    recordAudit(tx, ctx, { instituteId, actor: 'command line' }, note)
}

function readRupees(text: string): Paise {
  const paise = parseRupees(text)
  if (paise === null || paise === 0) throw new InvalidArgumentError('Write rupees, such as 5000.')
  return paise
}

function readPercent(text: string): number {
  if (/^\d{1,2}(\.\d{1,2})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a percentage with at most two decimals, such as 12.5.')
}

function readMonths(text: string): number {
  const months = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (months >= 1 && months <= 120) return months
  throw new InvalidArgumentError('Write a number from 1 to 120.')
}
