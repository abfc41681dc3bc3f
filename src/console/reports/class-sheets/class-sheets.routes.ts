import type { FastifyInstance } from 'fastify'
import { all } from '../../../http/reply.ts'
import type { Context } from '../../../platform/context.ts'
import { badField } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/audit.service.ts'
import { addConsoleRead, addConsoleWrite } from '../../auth/access.routes.ts'
import { EVERYONE } from '../../console.rules.ts'
import { addConsoleFile } from '../../files.routes.ts'
import { FINANCE_ROLES } from '../../students/students.rules.ts'
import { classOutput, classTeacherInput, sheetsQuery } from './class-sheets.schemas.ts'
import * as service from './class-sheets.service.ts'

/** Who is late, class by class, for the class teachers. */
export function classSheetRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/money/classes',
    roles: EVERYONE,
    output: all(classOutput),
    answer: ({ institute }) => service.listClassSheets(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/money/classes/teacher',
    roles: FINANCE_ROLES,
    body: classTeacherInput,
    perform(command, { body: { name, email, ...of } }) {
      if (name === null && email !== null) throw badField('name', 'must say whose address that is')
      return service.setClassTeacher(ctx, command, of, name === null ? null : { name, email })
    },
    audit: ({ body: { collectorCode, grade, section, name, email } }) => ({
      what: 'class_teacher.changed',
      about: [collectorCode, grade, section].join(' ').trim(),
      after: name === null ? {} : { name, email },
    }),
  })
  addConsoleFile(app, ctx, {
    url: '/money/class-sheets',
    roles: EVERYONE,
    query: sheetsQuery,
    mediaType: 'application/pdf',
    async answer({ institute, who, origin, query: { format, ...of } }) {
      const file = await service.makeClassSheets(ctx, institute, of, { format })
      const note = { what: 'report.exported', about: 'class-sheets', after: { format, filters: of } }
      const by = { instituteId: institute.id, actor: { who, origin } }
      await ctx.db.transaction(tx => recordAudit(tx, ctx, by, note))
      return file
    },
  })
}
