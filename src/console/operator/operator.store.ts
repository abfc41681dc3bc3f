import type { Branch } from '../../institutes/institutes.rules.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { allOf, toPage, type Page, type PageRange } from '../../platform/db/list.ts'

export type InstituteRow = {
  code: string
  name: string
  strictCatalogue: boolean
  createdAt: Date
  branches: Branch[]
  activeKeys: number
  people: number
}

export type InstituteSearch = PageRange & { search?: string | undefined }

/** Lists institutes by code; counts come from indexes that begin with the institute. */
export async function listInstitutes(
  db: Queryable,
  { search, cursor, limit }: InstituteSearch,
): Promise<Page<InstituteRow>> {
  const values: unknown[] = []
  const where = allOf(values, [
    ['strpos(i.code, lower($1)) > 0 or strpos(lower(i.name), lower($1)) > 0', search],
    ['i.code > $1', cursor],
  ])
  const found = await db.query<InstituteRow>(
    `select i.code, i.name, i.strict_catalogue as "strictCatalogue", i.created_at as "createdAt",
       (select coalesce(json_agg(json_build_object('collectorCode', b.collector_code, 'name', b.name,
          'isDefault', b.is_default) order by b.created_at, b.collector_code), '[]')
        from branches b where b.institute_id = i.id) as branches,
       (select count(*) from api_keys k where k.institute_id = i.id and k.revoked_at is null) as "activeKeys",
       (select count(*) from console_memberships m where m.institute_id = i.id) as people
     from institutes i where ${where} order by i.code limit $${values.push(limit + 1)}`,
    values,
  )
  return toPage(found, limit, institute => institute.code)
}

export type DatabaseFigures = { version: string; bytes: number; startedAt: Date }

export async function readDatabaseFigures(db: Queryable): Promise<DatabaseFigures> {
  const [row] = await db.query<DatabaseFigures>(
    `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
       pg_postmaster_start_time() as "startedAt"`,
  )
  if (row === undefined) throw new Error('a database always knows its version')
  return row
}
