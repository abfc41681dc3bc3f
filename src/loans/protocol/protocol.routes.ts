import type { FastifyInstance } from 'fastify'
import { createAsset, sendAsset, type Asset } from '../../http/assets.ts'
import { JSON_TYPE } from '../../http/envelope.ts'
import { describeProtocol } from './protocol.docs.ts'

/** Published for developers of a lender: it names no lender and no institute. */
export function protocolRoutes(app: FastifyInstance, publicUrl: string): void {
  let document: Promise<Asset> | null = null
  app.get('/lender/openapi.json', async (request, reply) => {
    document ??= createAsset(Buffer.from(JSON.stringify(describeProtocol(publicUrl))), JSON_TYPE)
    return sendAsset(request, reply, await document)
  })
}
