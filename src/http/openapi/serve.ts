import type { FastifyInstance } from 'fastify'
import { createAsset, sendAsset, type Asset } from '../assets.ts'
import { JSON_TYPE } from '../envelope.ts'
import { describeApi, type DocumentOptions } from './document.ts'
import { toYaml } from './yaml.ts'

/** Serves the document of all routes; made for its first reader. */
export function addOpenApi(app: FastifyInstance, options: DocumentOptions): void {
  const document = (): object => describeApi(app.routeTable, options)
  serve(app, '/openapi.json', () => createAsset(Buffer.from(JSON.stringify(document())), JSON_TYPE))
  serve(app, '/openapi.yaml', () =>
    createAsset(Buffer.from(toYaml(document())), 'application/yaml; charset=utf-8'),
  )
}

function serve(app: FastifyInstance, url: string, make: () => Promise<Asset>): void {
  let asset: Promise<Asset> | null = null
  app.get(url, async (request, reply) => {
    asset ??= make()
    return sendAsset(request, reply, await asset)
  })
}
