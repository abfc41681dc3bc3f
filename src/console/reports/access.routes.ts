import type { FastifyInstance, FastifyReply } from 'fastify'
import { compileCall, type NOTHING, type Sent } from '../../http/endpoint.ts'
import { documentFile } from '../../http/openapi/openapi.ts'
import { schemaOf, type Readable, type SentBy } from '../../http/wire/readable.ts'
import type { Context } from '../../platform/context.ts'
import { INSTITUTE, withInstitute } from '../auth/access.routes.ts'
import { admit, atInstitute, type InstituteVisit } from '../auth/roles.routes.ts'
import type { ConsoleRole } from '../console.rules.ts'
import type { ExportedFile } from './export.service.ts'

type Download<Params extends Readable, Query extends Readable> = {
  /** Below /console/api/institutes/:institute_code, as of the other routes. */
  url: string
  roles: readonly ConsoleRole[]
  docs?: unknown
  params?: Params
  query?: Query
  /** Of the file, or of one of the files it may be. */
  mediaType: string
  /** Shown in the browser instead of saved. */
  isShown?: boolean
  answer(call: Sent<SentBy<Params>, SentBy<Query>, unknown> & InstituteVisit): Promise<ExportedFile>
}

/** A read of the console that answers a file, not an envelope; errors wear the envelope as everywhere. */
export function addConsoleDownload<
  Params extends Readable = typeof NOTHING,
  Query extends Readable = typeof NOTHING,
>(app: FastifyInstance, ctx: Context, download: Download<Params, Query>): void {
  const { roles, query, mediaType, isShown = false } = download
  const url = INSTITUTE + download.url
  const params = withInstitute(url, download.params) as Params
  const access = atInstitute(ctx, roles)
  const asked = query === undefined ? {} : { query }
  const readCall = compileCall<SentBy<Params>, SentBy<Query>, unknown>({ params, ...asked })
  app.get(url, {
    schema: {
      ...documentFile({ params, mediaType }),
      ...(query === undefined ? {} : { querystring: schemaOf(query) }),
      'x-roles': roles,
    },
    handler: async (request, reply) => {
      const visit = await access.enter(await admit(ctx, request, reply))
      return sendFile(reply, await download.answer({ ...readCall(request), ...visit }), isShown)
    },
  })
}

function sendFile(reply: FastifyReply, file: ExportedFile, isShown: boolean): FastifyReply {
  return reply
    .header('content-type', file.mediaType)
    .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename="${file.name}"`)
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .send(file.content)
}
