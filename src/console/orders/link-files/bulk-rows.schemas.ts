import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { field } from '../../../http/fields.ts'
import { compileReader } from '../../../http/reader.ts'
import type { NewOrder } from '../../../orders/orders.service.ts'
import { BursarError } from '../../../platform/errors.ts'
import type { Paise } from '../../../platform/money.ts'
import type { RawProblem, RawRow } from '../../../imports/imports.rules.ts'
import { lineColumns, MAX_PROBLEMS_PER_ROW } from './bulk.rules.ts'

/** Rows of a file of links, read by the formats and limits of the API: this is an edge of the process too. */
const docs = (description: string) => ({ description })

const component = field.code(docs('What is paid for.'))
const amount = field.positiveAmount(docs('Rupees.'))

const LinkCells = Type.Object(
  {
    name: field.text(docs('Payer.')),
    phone: field.phone(docs('Phone of the payer.')),
    email: field.email(docs('E-mail of the payer.')),
    identifier: Type.Optional(field.identifier(docs('Of the student or payer.'))),
    student_name: Type.Optional(field.text(docs('Student.'))),
    grade: Type.Optional(field.code(docs('Grade.'))),
    stream: Type.Optional(field.text(docs('Stream.'))),
    academic_year_start: Type.Optional(field.year(docs('Start year.'))),
    academic_year_end: Type.Optional(field.year(docs('End year.'))),
    custom_identifier: Type.Optional(field.identifier(docs('A second identifier.'))),
    expires_at: Type.Optional(field.rangeEnd(docs('Until when it can be paid; a day counts to its end.'))),
    collector_code: Type.Optional(field.code(docs('Branch code.'))),
    reference: Type.Optional(field.identifier(docs('Your own name for the row.'))),
    component_type: component,
    amount,
    component_type_2: Type.Optional(component),
    amount_2: Type.Optional(amount),
    component_type_3: Type.Optional(component),
    amount_3: Type.Optional(amount),
    component_type_4: Type.Optional(component),
    amount_4: Type.Optional(amount),
    component_type_5: Type.Optional(component),
    amount_5: Type.Optional(amount),
  },
  { 'x-ascending': ['academic_year_start', 'academic_year_end'] },
)

const read = compileReader(LinkCells)

/** An order as a row asks for it; moments as JSON holds them. */
export type LinkRow = Omit<NewOrder, 'expiresAt' | 'kind'> & { expiresAt: string | null }

export type ReadLink =
  | { kind: 'good'; row: LinkRow; key: Buffer; reference: string | null }
  | { kind: 'bad'; problems: RawProblem[] }

export function readLink(raw: RawRow): ReadLink {
  try {
    const cells = read(raw) as Cells
    const lines = linesOf(cells)
    const problems = pairProblems(lines)
    if (problems.length > 0) return { kind: 'bad', problems }
    const row = toRow(cells, lines)
    const reference = cells.reference ?? null
    return { kind: 'good', row, key: keyOf(row, reference), reference }
  } catch (error) {
    if (!(error instanceof BursarError) || error.problems === undefined) throw error
    const problems = error.problems.map(({ key, message }) => ({ column: key, message }))
    return { kind: 'bad', problems: problems.slice(0, MAX_PROBLEMS_PER_ROW) }
  }
}

type Cells = Static<typeof LinkCells>
type Line = { no: number; componentType: string | undefined; amountPaise: Paise | undefined }

function linesOf(cells: Cells): Line[] {
  return [
    { no: 1, componentType: cells.component_type, amountPaise: cells.amount },
    { no: 2, componentType: cells.component_type_2, amountPaise: cells.amount_2 },
    { no: 3, componentType: cells.component_type_3, amountPaise: cells.amount_3 },
    { no: 4, componentType: cells.component_type_4, amountPaise: cells.amount_4 },
    { no: 5, componentType: cells.component_type_5, amountPaise: cells.amount_5 },
  ]
}

function pairProblems(lines: readonly Line[]): RawProblem[] {
  return lines.flatMap(({ no, componentType, amountPaise }) => {
    const { component, amount } = lineColumns(no)
    if ((componentType === undefined) === (amountPaise === undefined)) return []
    const [missing, there] = componentType === undefined ? [component, amount] : [amount, component]
    return [{ column: missing, message: `is required beside ${there}` }]
  })
}

function toRow(cells: Cells, lines: readonly Line[]): LinkRow {
  return {
    collectorCode: cells.collector_code ?? null,
    name: cells.name,
    phone: cells.phone,
    email: cells.email,
    identifier: cells.identifier ?? null,
    studentName: cells.student_name ?? null,
    grade: cells.grade ?? null,
    stream: cells.stream ?? null,
    academicYearStart: cells.academic_year_start ?? null,
    academicYearEnd: cells.academic_year_end ?? null,
    newAdmission: false,
    dateOfBirth: null,
    customIdentifier: cells.custom_identifier ?? null,
    notes: cells.reference === undefined ? [] : [{ key: 'reference', value: cells.reference }],
    callbackUrl: null,
    expiresAt: cells.expires_at?.toISOString() ?? null,
    lines: lines.flatMap(({ componentType, amountPaise }) =>
      componentType === undefined || amountPaise === undefined ? [] : [{ componentType, amountPaise }],
    ),
  }
}

/** A reference names a row for ever; without one the row is what it says. */
function keyOf(row: LinkRow, reference: string | null): Buffer {
  const named = reference === null ? ['row', row] : ['reference', reference]
  return createHash('sha256').update(JSON.stringify(named)).digest()
}
