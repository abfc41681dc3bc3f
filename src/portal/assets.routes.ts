import type { FastifyInstance } from 'fastify'
import { readFile } from 'node:fs/promises'
import { findInstitute } from '../institutes/institutes.service.ts'
import { findLogo } from '../institutes/school/school.service.ts'
import type { Context } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isIdShaped } from '../platform/ids.ts'
import { createAsset, sendAsset, type Asset } from '../http/assets.ts'
import { fontFileOf } from '../receipts/script-runs.ts'
import { FONT_STYLE, WEB_FONTS } from './fonts.ts'

/** The address changes with what it answers. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Colours and logos of schools: a stylesheet and a picture, since pages have no inline style of their own. */
export function brandRoutes(app: FastifyInstance, ctx: Context): void {
  app.get<{ Params: { institute_code: string; color: string } }>(
    '/brand/:institute_code/:color.css',
    async ({ params }, reply) => {
      if (!/^[0-9a-f]{6}$/.test(params.color)) throw notFound('This colour')
      reply.header('content-type', 'text/css; charset=utf-8').header('cache-control', FOR_EVER)
      // A school's colour is dark enough for white text, so it is used where pages are light.
      return `@media (prefers-color-scheme:light){:root{--button:#${params.color}}}\n`
    },
  )
  app.get<{ Params: { institute_code: string; tag: string } }>(
    '/brand/:institute_code/logo/:tag',
    async ({ params: { institute_code: code, tag } }, reply) => {
      const institute = isIdShaped(code) && isIdShaped(tag) ? await findInstitute(ctx, code) : null
      const logo = institute === null ? null : await findLogo(ctx, institute, tag)
      if (logo === null) throw notFound('This logo')
      return reply.header('content-type', logo.mediaType).header('cache-control', FOR_EVER).send(logo.content)
    },
  )
}

const WEEK = { 'cache-control': 'public, max-age=604800' }

/** Fonts of the packages that receipts are made with: compressed on the way they weigh little more than WOFF2. */
export function fontRoutes(app: FastifyInstance): void {
  const style = createAsset(Buffer.from(FONT_STYLE), 'text/css; charset=utf-8', WEEK)
  app.get('/fonts.css', async (request, reply) => sendAsset(request, reply, await style))
  for (const { family } of WEB_FONTS) {
    // Read by the first who needs it.
    let font: Promise<Asset> | undefined
    app.get(`/fonts/${family}.ttf`, async (request, reply) => {
      font ??= readFile(fontFileOf(family)).then(file => createAsset(file, 'font/ttf', WEEK))
      return sendAsset(request, reply, await font)
    })
  }
}
