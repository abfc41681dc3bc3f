import type { FastifyInstance } from 'fastify'
import { one } from '../../http/reply.ts'
import { receiveFiles } from '../../http/upload.ts'
import { query } from '../../http/wire/input.ts'
import { schoolInput, schoolOutput } from '../../institutes/school/school.schemas.ts'
import { LOGO_TYPE, type School } from '../../institutes/school/school.rules.ts'
import * as service from '../../institutes/school/school.service.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'
import { addConsoleUpload } from '../files.routes.ts'

const OWNERS: readonly ConsoleRole[] = ['owner']

/** What a school says of itself on pages, mails and receipts. */
export async function schoolRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  addConsoleRead(app, ctx, {
    url: '/school',
    roles: EVERYONE,
    output: one(schoolOutput),
    answer: ({ institute }) => service.getSchool(ctx, institute.id),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/school',
    roles: OWNERS,
    body: schoolInput,
    perform: (command, { institute, body }) => service.changeSchool(ctx, command, institute, body),
    audit: ({ institute }, { before, after }: service.ChangedSchool) => ({
      what: 'school.changed',
      about: institute.code,
      before: schoolOutput.toJson(before),
      after: schoolOutput.toJson(after),
    }),
  })
  await app.register(async scope => {
    receiveFiles(scope, 'logo')
    addConsoleUpload(scope, ctx, {
      url: '/school/logo',
      roles: OWNERS,
      output: one(schoolOutput),
      query: query({}),
      mediaTypes: [LOGO_TYPE],
      perform: async (command, { institute, file }) =>
        service.setLogo(ctx, command, institute, await file.read(0, file.bytes)),
      audit: ({ logoTag }: School) => ({ what: 'school.logo_changed', about: logoTag ?? '' }),
    })
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/school/logo',
    roles: OWNERS,
    output: one(schoolOutput),
    perform: (command, { institute }) => service.removeLogo(ctx, command, institute),
    audit: ({ institute }) => ({ what: 'school.logo_removed', about: institute.code }),
  })
}
