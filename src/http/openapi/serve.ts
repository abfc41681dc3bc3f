import type { FastifyInstance } from 'fastify'
import { createAsset, sendAsset, type Asset } from '../assets.ts'
import { JSON_TYPE } from '../reply.ts'
import { describeApi, type DocumentOptions } from './document.ts'

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

/** JSON as YAML 1.2 in block style; texts are in double quotes, in which YAML reads what JSON writes. */
function toYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: unknown): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? ['[]'] : value.flatMap(item => hang('- ', lines(item)))
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return entries.length === 0 ? ['{}'] : entries.flatMap(([key, field]) => entry(toKey(key), field))
}

function entry(key: string, value: unknown): string[] {
  const below = lines(value)
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return isBlock ? [`${key}:`, ...below.map(line => `  ${line}`)] : [`${key}: ${below[0]}`]
}

function hang(mark: string, [first = '', ...rest]: string[]): string[] {
  return [mark + first, ...rest.map(line => `  ${line}`)]
}

/** Words that an older reader takes for a flag or for nothing, and numbers, are no plain keys. */
function toKey(key: string): string {
  const isPlain = /^[A-Za-z_$][\w$-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key)
  return isPlain ? key : JSON.stringify(key)
}
