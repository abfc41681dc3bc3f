import type { Queryable, Transaction } from '../../platform/db/database.ts'
import type { FeeStructure, Year } from './structure.rules.ts'

type Definition = Omit<FeeStructure, keyof Year>

export async function findStructure(
  db: Queryable,
  instituteId: number,
  { academicYearStart, academicYearEnd }: Year,
): Promise<FeeStructure | null> {
  const [row] = await db.query<{ definition: Definition }>(
    `select definition from fee_structures
     where institute_id = $1 and academic_year_start = $2 and academic_year_end = $3`,
    [instituteId, academicYearStart, academicYearEnd],
  )
  return row === undefined ? null : { academicYearStart, academicYearEnd, ...row.definition }
}

/** Newest first. */
export async function listYears(db: Queryable, instituteId: number): Promise<Year[]> {
  return db.query<Year>(
    `select academic_year_start as "academicYearStart", academic_year_end as "academicYearEnd" from fee_structures
     where institute_id = $1 order by academic_year_start desc, academic_year_end desc limit 20`,
    [instituteId],
  )
}

/** Replaces it whole, and the due days of its year with it. */
export async function writeStructure(
  tx: Transaction,
  instituteId: number,
  { academicYearStart, academicYearEnd, ...definition }: FeeStructure,
  { dueDays, now }: { dueDays: readonly { componentType: string; dueOn: string }[]; now: Date },
): Promise<void> {
  await tx.query(
    `insert into fee_structures (institute_id, academic_year_start, academic_year_end, definition, updated_at)
     values ($1, $2, $3, $4, $5) on conflict (institute_id, academic_year_start, academic_year_end)
     do update set definition = excluded.definition, updated_at = excluded.updated_at`,
    [instituteId, academicYearStart, academicYearEnd, JSON.stringify(definition), now],
  )
  await tx.query('delete from fee_due_days where institute_id = $1 and academic_year_start = $2', [
    instituteId,
    academicYearStart,
  ])
  await tx.query(
    `insert into fee_due_days (institute_id, academic_year_start, component_type, due_on)
     select $1, $2, d.component_type, d.due_on from unnest($3::text[], $4::date[]) as d (component_type, due_on)`,
    [instituteId, academicYearStart, dueDays.map(day => day.componentType), dueDays.map(day => day.dueOn)],
  )
}

/** By institute, year and component, as `dueDayKey` joins them. */
export async function readDueDays(
  db: Queryable,
  instituteIds: readonly number[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ instituteId: number; year: number; componentType: string; dueOn: string }>(
    `select institute_id as "instituteId", academic_year_start as year, component_type as "componentType",
       due_on as "dueOn" from fee_due_days where institute_id = any($1)`,
    [[...new Set(instituteIds)]],
  )
  return new Map(rows.map(row => [dueDayKey(row.instituteId, row.year, row.componentType), row.dueOn]))
}

export function dueDayKey(instituteId: number, academicYearStart: number, componentType: string): string {
  return `${instituteId} ${academicYearStart} ${componentType}`
}
