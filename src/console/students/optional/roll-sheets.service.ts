import type { Institute } from '../../../institutes/institutes.rules.ts'
import { spanOf } from '../../../fees/optional/optional-fee.rules.ts'
import { dayOf, formatDay } from '../../../platform/calendar.ts'
import type { Context } from '../../../platform/context.ts'
import { conflict } from '../../../platform/errors.ts'
import { classOf, nameKey } from '../../../platform/names.ts'
import type { DocumentBlock } from '../../../receipts/document-pdf.ts'
import { readLetterhead } from '../../../receipts/letterhead.service.ts'
import { printDocument } from '../../../receipts/receipt-printer.ts'
import { getOptionalFee } from '../../../students/enrolments/optional-fees.service.ts'
import { sheetNames } from '../../reports/class-sheets/class-sheets.rules.ts'
import { MEDIA_TYPES, text } from '../../reports/reports.rules.ts'
import { makeXlsxOf } from '../../reports/xlsx.ts'
import { listRiders, type Rider } from './roll-sheets.store.ts'

export const ROLL_FORMATS = ['pdf', 'xlsx'] as const

type AskedRoll = {
  feeId: string
  format: (typeof ROLL_FORMATS)[number]
  /** Only of this route, room or club. */
  option: string | null
  /** Null: today, or the first day of a fee that is still to begin. */
  on: string | null
}

/** More would be no sheets that somebody carries. */
const MOST_RIDERS = 5_000

/** A sheet for each route, room or club: its stops in their order, who gets on there, and whom to call. */
export async function makeRollSheets(
  ctx: Context,
  institute: Institute,
  { feeId, format, option, on }: AskedRoll,
): Promise<{ name: string; mediaType: string; content: Buffer }> {
  const fee = await getOptionalFee(ctx, institute, feeId)
  const today = dayOf(ctx.clock.now())
  const begins = spanOf(fee)?.firstDay ?? today
  const day = on ?? (today < begins ? begins : today)
  const riders = await listRiders(ctx.db, institute.id, {
    feeId,
    option,
    on: fee.periods.length === 0 ? null : day,
    limit: MOST_RIDERS + 1,
  })
  if (riders.length === 0) throw conflict(`Nobody has it on ${formatDay(day)}: there is no sheet to make.`)
  if (riders.length > MOST_RIDERS)
    throw conflict(`More than ${MOST_RIDERS} children have it. Choose one option.`)
  const sheets = [...Map.groupBy(riders, one => nameKey(one.option)).values()].map(own => ({
    title: own[0]?.option ?? '',
    riders: own,
  }))
  const content =
    format === 'pdf'
      ? await print(ctx, institute, { fee: fee.name, day, sheets })
      : await makeXlsxOf(institute.id, toTables(sheets))
  return { name: `roll-${day}.${format}`, mediaType: TYPES[format], content }
}

const TYPES = { pdf: 'application/pdf', xlsx: MEDIA_TYPES.xlsx }

type Sheet = { title: string; riders: readonly Rider[] }

function toTables(sheets: readonly Sheet[]) {
  const names = sheetNames(sheets.map(({ title }) => title))
  const columns = [
    text<Rider>('Stop', row => row.stop),
    text<Rider>('Student', row => row.fullname),
    text<Rider>('Admission no.', row => row.identifier),
    text<Rider>('Class', row => classOf(row.gradeName, row.section)),
    text<Rider>('Parent', row => row.contactName),
    text<Rider>('Phone', row => row.contactNumber),
  ]
  return sheets.map(({ riders }, index) => ({ name: names[index] ?? '', columns, rows: riders }))
}

async function print(
  ctx: Context,
  institute: Institute,
  { fee, day, sheets }: { fee: string; day: string; sheets: readonly Sheet[] },
): Promise<Buffer> {
  const titled = sheets.map(sheet => ({ sheet, title: `${fee}: ${sheet.title}` }))
  const blocks = titled.flatMap(({ sheet, title }, index) => [
    ...(index === 0 ? [] : [{ kind: 'next' as const, title }]),
    ...blocksOf(sheet, day),
  ])
  return printDocument(
    {
      institute: institute.name,
      letterhead: await readLetterhead(ctx, institute.id),
      branch: null,
      title: titled[0]?.title ?? '',
      madeAt: ctx.clock.now(),
      blocks,
      isSandbox: ctx.mode === 'sandbox',
    },
    { instituteId: institute.id },
  )
}

function blocksOf({ title, riders }: Sheet, day: string): DocumentBlock[] {
  const hasStops = riders.some(({ stop }) => stop !== null)
  return [
    {
      kind: 'pairs',
      left: { Option: title },
      right: { 'As of': formatDay(day), Children: String(riders.length) },
    },
    {
      kind: 'table',
      columns: [
        ...(hasStops ? [{ title: 'Stop', width: 4 }] : []),
        { title: 'Student', width: 5 },
        { title: 'Class', width: 3 },
        { title: 'Parent', width: 5 },
        { title: 'Phone', width: 4 },
      ],
      rows: riders.map(one => [
        ...(hasStops ? [one.stop ?? ''] : []),
        one.fullname,
        classOf(one.gradeName, one.section),
        one.contactName,
        one.contactNumber,
      ]),
    },
  ]
}
