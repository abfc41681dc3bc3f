import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { Table } from '../../platform/db/table.ts'
import type { Option, OptionalFee } from './optional-fee.rules.ts'
import { componentsOf } from './optional-fee.rules.ts'

const fees = new Table<Omit<OptionalFee, 'options'>>('optional_fees', {
  id: 'text',
  academicYearStart: 'int',
  academicYearEnd: 'int',
  collectorCode: 'text',
  kind: 'text',
  name: 'text',
  componentType: 'text',
  rhythm: 'text',
  periods: 'jsonb',
  dueOn: 'date',
  prorating: 'text',
  isRoundedToRupees: 'boolean',
  takesConcessions: 'boolean',
})
const ofInstitute = fees.with<{ instituteId: number; updatedAt: Date }>({
  instituteId: 'int',
  updatedAt: 'timestamptz',
})

const options = new Table<Option>('optional_fee_options', {
  id: 'text',
  name: 'text',
  stop: 'text',
  amountPaise: 'bigint',
  places: 'int',
})
const optionsOfFee = options.with<{ instituteId: number; feeId: string; position: number }>({
  instituteId: 'int',
  feeId: 'text',
  position: 'int',
})

const SELECT = `select ${fees.columns('f')},
    (select coalesce(json_agg(${options.json('o')} order by o.position), '[]') from optional_fee_options o
     where o.institute_id = $1 and o.fee_id = f.id) as options
  from optional_fees f where f.institute_id = $1`

export async function listFees(
  db: Queryable,
  instituteId: number,
  academicYearStart: number,
): Promise<OptionalFee[]> {
  return db.query<OptionalFee>(`${SELECT} and f.academic_year_start = $2 order by f.kind, f.name, f.id`, [
    instituteId,
    academicYearStart,
  ])
}

/** What the optional fees of all years are charged as. */
export async function listAllFees(
  db: Queryable,
  instituteId: number,
): Promise<Pick<OptionalFee, 'componentType' | 'periods' | 'dueOn'>[]> {
  return db.query(
    `select ${fees.columns('f', ['componentType', 'periods', 'dueOn'])} from optional_fees f where f.institute_id = $1`,
    [instituteId],
  )
}

export async function readFees(
  db: Queryable,
  instituteId: number,
  ids: readonly string[],
): Promise<OptionalFee[]> {
  return db.query<OptionalFee>(`${SELECT} and f.id = any($2) order by f.id`, [instituteId, ids])
}

/** Held until the commit: places are given and options changed by one at a time. */
export async function lockFee(tx: Transaction, instituteId: number, id: string): Promise<OptionalFee | null> {
  await tx.query('select from optional_fees where institute_id = $1 and id = $2 for no key update', [
    instituteId,
    id,
  ])
  const [fee] = await readFees(tx, instituteId, [id])
  return fee ?? null
}

/** Writes all of it, its options and due days; an option that is not there any more has no children. */
export async function writeFee(
  tx: Transaction,
  instituteId: number,
  fee: OptionalFee,
  updatedAt: Date,
): Promise<void> {
  const keys = Object.keys(fee).filter((key): key is keyof Omit<OptionalFee, 'options'> => {
    return key !== 'id' && key !== 'options'
  })
  await ofInstitute.insert(tx, [{ ...fee, instituteId, updatedAt }], {
    onConflict: `on conflict (institute_id, id) do update set ${fees.excluded(keys)}, updated_at = excluded.updated_at`,
  })
  const ids = fee.options.map(option => option.id)
  await tx.query(
    'delete from optional_fee_options where institute_id = $1 and fee_id = $2 and id <> all($3)',
    [instituteId, fee.id, ids],
  )
  await optionsOfFee.insert(
    tx,
    fee.options.map((option, position) => ({ ...option, instituteId, feeId: fee.id, position })),
    {
      onConflict: `on conflict (institute_id, id) do update set ${options.excluded(['name', 'stop', 'amountPaise', 'places'])},
        position = excluded.position`,
    },
  )
  await writeDueDays(tx, instituteId, fee)
}

async function writeDueDays(tx: Transaction, instituteId: number, fee: OptionalFee): Promise<void> {
  await deleteDueDays(tx, instituteId, fee.id)
  const days = componentsOf(fee).filter(({ dueOn }) => dueOn !== null)
  await tx.query(
    `insert into fee_due_days (institute_id, academic_year_start, collector_code, component_type, due_on, optional_fee_id)
     select $1, $2, $3, d.component_type, d.due_on, $6 from unnest($4::text[], $5::date[]) as d (component_type, due_on)`,
    [
      instituteId,
      fee.academicYearStart,
      fee.collectorCode,
      days.map(day => day.componentType),
      days.map(day => day.dueOn),
      fee.id,
    ],
  )
}

async function deleteDueDays(tx: Transaction, instituteId: number, feeId: string): Promise<void> {
  await tx.query('delete from fee_due_days where institute_id = $1 and optional_fee_id = $2', [
    instituteId,
    feeId,
  ])
}

export async function deleteFee(tx: Transaction, instituteId: number, id: string): Promise<void> {
  await deleteDueDays(tx, instituteId, id)
  await tx.query('delete from optional_fee_options where institute_id = $1 and fee_id = $2', [
    instituteId,
    id,
  ])
  await tx.query('delete from optional_fees where institute_id = $1 and id = $2', [instituteId, id])
}

/** Components of a year that its structures, or optional fees beside this one, charge or have a due day for. */
export async function readTaken(
  db: Queryable,
  instituteId: number,
  { id, academicYearStart }: Pick<OptionalFee, 'id' | 'academicYearStart'>,
): Promise<string[]> {
  const rows = await db.query<{ code: string }>(
    `select component_type as code from fee_due_days
     where institute_id = $1 and academic_year_start = $2 and optional_fee_id is distinct from $3
     union
     select jsonb_array_elements_text(s.definition -> 'heads') from fee_structures s
     where s.institute_id = $1 and s.academic_year_start = $2
     union
     select f.component_type from optional_fees f
     where f.institute_id = $1 and f.academic_year_start = $2 and f.id <> $3`,
    [instituteId, academicYearStart, id],
  )
  return rows.map(({ code }) => code)
}

/** The components of a year's optional fees, without the names of periods. */
export async function listComponents(
  db: Queryable,
  instituteId: number,
  academicYearStart: number,
): Promise<string[]> {
  const rows = await db.query<{ code: string }>(
    'select component_type as code from optional_fees where institute_id = $1 and academic_year_start = $2',
    [instituteId, academicYearStart],
  )
  return rows.map(({ code }) => code)
}
