import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { ok, page } from '../../http/envelope.ts'
import type { Context } from '../../platform/context.ts'
import { toRupees } from '../../platform/money.ts'
import { EVERYONE } from '../console.rules.ts'
import { addConsoleRead } from '../auth/access.routes.ts'
import { exportFor, present, rangeOf } from '../money/access.ts'
import { addConsoleDownload } from './access.routes.ts'
import { MEDIA_TYPES } from './reports.rules.ts'
import type { Grouping } from './dues.rules.ts'
import * as service from './dues.service.ts'
import * as schemas from './reports.schemas.ts'

export function duesReportRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/money/ageing',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleGetAgeing',
      summary: 'Read how late dues are',
      description: 'What active students owe by the institute’s due days, without late fees.',
      data: schemas.AgeingView,
    },
    query: schemas.AgeingQuery,
    async answer({ institute, query }) {
      const { by = 'component' } = query
      return ok(ageingView(await service.readAgeing(ctx, institute, { by, filter: filterOf(query) }), by))
    },
  })
  addConsoleDownload(app, ctx, {
    url: '/money/ageing/export',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportAgeing',
      summary: 'Export how late dues are',
      description: 'The same rows and their total as CSV or XLSX.',
    },
    query: schemas.AgeingExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer(call) {
      const { by = 'component', format } = call.query
      const asked = { by, filter: filterOf(call.query) }
      return service.exportAgeing(ctx, call.institute, asked, format, exportFor(call))
    },
  })
  addConsoleRead(app, ctx, {
    url: '/money/defaulters',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleListDefaulters',
      summary: 'List who owes',
      description: 'With whom to speak, how much, for how long and what came last; the longest first.',
      data: Type.Array(schemas.DefaulterView),
      isList: true,
    },
    query: schemas.DefaultersQuery,
    async answer({ institute, query }) {
      const asked = { bucket: query.bucket ?? 'late', filter: filterOf(query) }
      const found = await service.listDefaulters(ctx, institute, asked, rangeOf(query))
      return page(found.rows.map(defaulterView), found.nextCursor)
    },
  })
  addConsoleDownload(app, ctx, {
    url: '/money/defaulters/export',
    roles: EVERYONE,
    docs: {
      operationId: 'consoleExportDefaulters',
      summary: 'Export who owes',
      description: 'The same list as CSV or XLSX.',
    },
    query: schemas.DefaultersExportQuery,
    mediaType: MEDIA_TYPES.csv,
    answer(call) {
      const { bucket = 'late', format } = call.query
      const asked = { bucket, filter: filterOf(call.query) }
      return service.exportDefaulters(ctx, call.institute, asked, format, exportFor(call))
    },
  })
}

type Filters = Pick<
  Static<typeof schemas.DefaultersQuery>,
  'grade' | 'collector_code' | 'academic_year_start'
>

function filterOf(query: Filters): service.DuesFilter {
  const { grade, collector_code: collectorCode, academic_year_start: academicYearStart } = query
  return { grade, collectorCode, academicYearStart }
}

function ageingView({ today, groups, total }: service.Ageing, by: Grouping): schemas.AgeingAnswer {
  return {
    today,
    by,
    groups: groups.map(row => ({ key: row.key ?? '', ...bucketsView(row) })),
    total: bucketsView(total),
  }
}

function bucketsView(row: service.AgeingRow): schemas.AgeingAnswer['total'] {
  return {
    students: row.students,
    total: toRupees(row.totalPaise),
    not_due: toRupees(row.notDuePaise),
    days_0_30: toRupees(row.days30Paise),
    days_31_60: toRupees(row.days60Paise),
    days_61_90: toRupees(row.days90Paise),
    days_over_90: toRupees(row.over90Paise),
    no_due_day: toRupees(row.noDueDayPaise),
  }
}

function defaulterView(row: service.DefaulterRow): schemas.DefaulterAnswer {
  return present({
    service_student_id: row.studentId,
    fullname: row.fullname,
    identifier: row.identifier,
    grade: row.grade,
    collector_code: row.collectorCode,
    contact_name: row.contactName,
    contact_number: row.contactNumber,
    contact_email: row.contactEmail,
    owed: toRupees(row.owedPaise),
    owed_in_all: toRupees(row.totalPaise),
    oldest_due_on: row.oldestDueOn,
    days_late: row.daysLate,
    last_paid_at: row.lastPaidAt?.toISOString() ?? null,
    last_paid: row.lastPaidPaise === null ? null : toRupees(row.lastPaidPaise),
    has_plan: row.hasPlan,
  })
}
