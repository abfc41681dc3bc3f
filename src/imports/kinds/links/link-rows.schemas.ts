import { createHash } from 'node:crypto'
import type { AskedOrder } from '../../../orders/orders.service.ts'
import { field, input, optional, type Read } from '../../../http/wire/input.ts'
import { lineFields, orderFields, SCHOOL_YEAR } from '../../../orders/order.input.ts'
import type { Paise } from '../../../platform/money.ts'
import type { RawProblem } from '../../files/columns.rules.ts'
import { feeCodeOf } from '../matched-columns.rules.ts'
import { defineFileRows, type RowDefinition } from '../row-fields.schemas.ts'

/** An order as a row asks for it; moments as JSON holds them. */
export type LinkRow = Omit<AskedOrder, 'expiresAt' | 'kind'> & { expiresAt: string | null }

export function referenceOf({ notes }: LinkRow): string | null {
  return notes.find(note => note.key === 'reference')?.value ?? null
}

/** A reference names a row for ever; without one the row is what it says. */
export function keyOf(row: LinkRow): Buffer {
  const reference = referenceOf(row)
  const named = reference === null ? ['row', row] : ['reference', reference]
  return createHash('sha256').update(JSON.stringify(named)).digest()
}

const { component_type, amount } = lineFields
const [otherComponent, otherAmount] = [optional(component_type), optional(amount)]

/** A file of payment links: one row, one link, with up to five things to pay for. */
const linkInput = input(
  {
    name: orderFields.name,
    phone: orderFields.phone,
    email: orderFields.email,
    component_type,
    amount,
    component_type_2: otherComponent,
    amount_2: otherAmount,
    component_type_3: otherComponent,
    amount_3: otherAmount,
    component_type_4: otherComponent,
    amount_4: otherAmount,
    component_type_5: otherComponent,
    amount_5: otherAmount,
    service_student_id: orderFields.service_student_id,
    settle_dues: orderFields.settle_dues,
    identifier: orderFields.identifier,
    student_name: orderFields.student_name,
    grade: orderFields.grade,
    stream: orderFields.stream,
    academic_year_start: orderFields.academic_year_start,
    academic_year_end: orderFields.academic_year_end,
    custom_identifier: orderFields.custom_identifier,
    expires_at: optional(field.rangeEnd('Until when it can be paid; a day counts to its end.')),
    collector_code: orderFields.collector_code,
    reference: optional(field.identifier('Your own name for the row.', 'TERM-2-1042')),
  },
  SCHOOL_YEAR,
)

type Cells = Read<typeof linkInput>
type Line = { no: number; componentType: string | null; amountPaise: Paise | null }

const rows = defineFileRows(linkInput, toRow, cells => pairProblems(linesOf(cells)))

const SLOTS = [
  ['component_type', 'amount'],
  ...[2, 3, 4, 5].map(no => [`component_type_${no}`, `amount_${no}`] as const),
] as const

const NO_FEE = 'needs an amount, here or under another fee: a link asks for one fee at least'

/** Columns of fees with their amounts become the lines that the row has left; what is wrong is told of the fee's column. */
export const linkRows: RowDefinition<LinkRow> = {
  columns: rows.columns,
  read(raw) {
    const entries = Object.entries(raw)
    const fees = entries.flatMap(([name, amount]) => {
      const code = feeCodeOf(name)
      return code === null || Number(amount) === 0 ? [] : [{ name, code, amount }]
    })
    if (entries.every(([name]) => feeCodeOf(name) === null)) return rows.read(raw)
    const free = SLOTS.filter(
      ([component, amount]) => raw[component] === undefined && raw[amount] === undefined,
    )
    const [tooMany] = fees.slice(free.length)
    if (tooMany !== undefined)
      return {
        kind: 'bad',
        problems: [{ column: tooMany.name, message: `is beyond what one link holds: ${SLOTS.length} fees` }],
      }
    const cells = Object.fromEntries(entries.filter(([name]) => feeCodeOf(name) === null))
    const columnOf = new Map<string, string>()
    for (const [index, { name, code, amount: value }] of fees.entries()) {
      const [component, amount] = free[index] ?? SLOTS[0]
      cells[component] = code
      cells[amount] = value
      columnOf.set(component, name).set(amount, name)
    }
    const read = rows.read(cells)
    if (read.kind === 'good') return read
    const isWithout = fees.length === 0 && free.length === SLOTS.length
    const feeColumn = Object.keys(raw).find(name => feeCodeOf(name) !== null) ?? ''
    const problems = read.problems
      .filter(({ column }) => !(isWithout && SLOTS[0].some(name => name === column)))
      .map(({ column, message }) => ({ column: columnOf.get(column) ?? column, message }))
    return {
      kind: 'bad',
      problems: isWithout ? [...problems, { column: feeColumn, message: NO_FEE }] : problems,
    }
  },
}

function linesOf(cells: Cells): Line[] {
  return [
    { no: 1, componentType: cells.componentType, amountPaise: cells.amountPaise },
    { no: 2, componentType: cells.componentType2, amountPaise: cells.amount2Paise },
    { no: 3, componentType: cells.componentType3, amountPaise: cells.amount3Paise },
    { no: 4, componentType: cells.componentType4, amountPaise: cells.amount4Paise },
    { no: 5, componentType: cells.componentType5, amountPaise: cells.amount5Paise },
  ]
}

function pairProblems(lines: readonly Line[]): RawProblem[] {
  return lines.flatMap(({ no, componentType, amountPaise }) => {
    if ((componentType === null) === (amountPaise === null)) return []
    const names = [`component_type_${no}`, `amount_${no}`]
    const [missing = '', there = ''] = componentType === null ? names : names.toReversed()
    return [{ column: missing, message: `is required beside ${there}` }]
  })
}

function toRow(cells: Cells): LinkRow {
  return {
    collectorCode: cells.collectorCode,
    name: cells.name,
    phone: cells.phone,
    email: cells.email,
    studentId: cells.studentId,
    settleDues: cells.settleDues,
    identifier: cells.identifier,
    studentName: cells.studentName,
    grade: cells.grade,
    stream: cells.stream,
    academicYearStart: cells.academicYearStart,
    academicYearEnd: cells.academicYearEnd,
    newAdmission: false,
    dateOfBirth: null,
    customIdentifier: cells.customIdentifier,
    notes: cells.reference === null ? [] : [{ key: 'reference', value: cells.reference }],
    callbackUrl: null,
    expiresAt: cells.expiresAt?.toISOString() ?? null,
    lines: linesOf(cells).flatMap(({ componentType, amountPaise }) =>
      componentType === null || amountPaise === null ? [] : [{ componentType, amountPaise }],
    ),
  }
}
