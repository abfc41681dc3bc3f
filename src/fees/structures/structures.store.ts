import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { FeeStructure, StructureKey, Year, YearStructures } from './structure.rules.ts'

type Definition = Omit<FeeStructure, keyof StructureKey>

export async function readStructures(
  db: Queryable,
  instituteId: number,
  { academicYearStart, academicYearEnd }: Year,
): Promise<YearStructures> {
  const rows = await db.query<{ collectorCode: string | null; definition: Definition }>(
    `select collector_code as "collectorCode", definition from fee_structures
     where institute_id = $1 and academic_year_start = $2 and academic_year_end = $3`,
    [instituteId, academicYearStart, academicYearEnd],
  )
  const all = rows.map(({ collectorCode, definition }): FeeStructure => {
    return { academicYearStart, academicYearEnd, collectorCode, ...definition }
  })
  return {
    shared: all.find(one => one.collectorCode === null) ?? null,
    own: new Map(all.flatMap(one => (one.collectorCode === null ? [] : [[one.collectorCode, one]]))),
  }
}

/** The fees and terms of every structure. */
export async function listTerms(
  db: Queryable,
  instituteId: number,
): Promise<Pick<FeeStructure, 'heads' | 'terms'>[]> {
  return db.query(
    `select definition -> 'heads' as heads, definition -> 'terms' as terms from fee_structures where institute_id = $1`,
    [instituteId],
  )
}

/** Another one as soon as any structure of the institute is saved otherwise, added or dropped. */
export async function digestStructures(db: Queryable, instituteId: number): Promise<string> {
  const [row] = await db.query<{ digest: string }>(
    `select md5(coalesce(string_agg(concat_ws(' ', academic_year_start, academic_year_end, collector_code, definition), ' '
       order by academic_year_start, academic_year_end, collector_code), '')) as digest
     from fee_structures where institute_id = $1`,
    [instituteId],
  )
  return row?.digest ?? ''
}

/** `branches`: those with a structure of their own. */
export type StructureYear = Year & { branches: string[] }

/** Newest first. */
export async function listYears(db: Queryable, instituteId: number): Promise<StructureYear[]> {
  return db.query<StructureYear>(
    `select academic_year_start as "academicYearStart", academic_year_end as "academicYearEnd",
       coalesce(array_agg(collector_code order by collector_code) filter (where collector_code is not null), '{}') as branches
     from fee_structures where institute_id = $1
     group by academic_year_start, academic_year_end order by academic_year_start desc, academic_year_end desc limit 20`,
    [instituteId],
  )
}

type DueDay = { componentType: string; dueOn: string }

/** Replaces it whole, and the due days of its year with it. */
export async function writeStructure(
  tx: Transaction,
  instituteId: number,
  { academicYearStart, academicYearEnd, collectorCode, ...definition }: FeeStructure,
  { dueDays, now }: { dueDays: readonly DueDay[]; now: Date },
): Promise<void> {
  await tx.query(
    `insert into fee_structures (institute_id, academic_year_start, academic_year_end, collector_code, definition, updated_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (institute_id, academic_year_start, academic_year_end, collector_code)
     do update set definition = excluded.definition, updated_at = excluded.updated_at`,
    [instituteId, academicYearStart, academicYearEnd, collectorCode, JSON.stringify(definition), now],
  )
  await writeDueDays(tx, instituteId, { academicYearStart, collectorCode }, dueDays)
}

export async function deleteStructure(
  tx: Transaction,
  instituteId: number,
  { academicYearStart, academicYearEnd, collectorCode }: StructureKey,
): Promise<boolean> {
  const rows = await tx.query(
    `delete from fee_structures where institute_id = $1 and academic_year_start = $2 and academic_year_end = $3
       and collector_code is not distinct from $4 returning 1`,
    [instituteId, academicYearStart, academicYearEnd, collectorCode],
  )
  await writeDueDays(tx, instituteId, { academicYearStart, collectorCode }, [])
  return rows.length > 0
}

async function writeDueDays(
  tx: Transaction,
  instituteId: number,
  { academicYearStart, collectorCode }: Omit<StructureKey, 'academicYearEnd'>,
  days: readonly DueDay[],
): Promise<void> {
  await tx.query(
    `delete from fee_due_days
     where institute_id = $1 and academic_year_start = $2 and collector_code is not distinct from $3
       and optional_fee_id is null`,
    [instituteId, academicYearStart, collectorCode],
  )
  await tx.query(
    `insert into fee_due_days (institute_id, academic_year_start, collector_code, component_type, due_on)
     select $1, $2, $3, d.component_type, d.due_on from unnest($4::text[], $5::date[]) as d (component_type, due_on)`,
    [
      instituteId,
      academicYearStart,
      collectorCode,
      days.map(day => day.componentType),
      days.map(day => day.dueOn),
    ],
  )
}

/** Due days of any year and branch; `dueDayOf` looks one up. */
export type DueDays = ReadonlyMap<string, string>

export async function readDueDays(db: Queryable, instituteIds: readonly number[]): Promise<DueDays> {
  const rows = await db.query<{
    instituteId: number
    year: number
    collectorCode: string | null
    componentType: string
    dueOn: string
  }>(
    `select institute_id as "instituteId", academic_year_start as year, collector_code as "collectorCode",
       component_type as "componentType", due_on as "dueOn" from fee_due_days where institute_id = any($1)`,
    [[...new Set(instituteIds)]],
  )
  return new Map(
    rows.map(row => [keyOf(row.instituteId, row.year, row.collectorCode, row.componentType), row.dueOn]),
  )
}

/** The branch's own day comes before that of the institute. */
export function dueDayOf(
  days: DueDays,
  instituteId: number,
  { academicYearStart, collectorCode }: { academicYearStart: number; collectorCode: string },
  componentType: string,
): string | null {
  const own = days.get(keyOf(instituteId, academicYearStart, collectorCode, componentType))
  return own ?? days.get(keyOf(instituteId, academicYearStart, null, componentType)) ?? null
}

function keyOf(instituteId: number, year: number, branch: string | null, componentType: string): string {
  return JSON.stringify([instituteId, year, branch, componentType])
}
