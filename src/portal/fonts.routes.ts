import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { createAsset, sendAsset, type Asset } from '../http/assets.ts'
import { fontFileOf } from '../receipts/script-runs.ts'
import { FONT_STYLE, WEB_FONTS } from './fonts.ts'
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
