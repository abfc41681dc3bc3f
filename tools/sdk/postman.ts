import type { CollectedRequest, Collection } from './collection.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

export function generatePostman({
  title,
  description,
  variables,
  folders,
}: Collection): Record<string, string> {
  const collection = {
    info: { name: title, description, schema: SCHEMA },
    auth: {
      type: 'basic',
      basic: [
        { key: 'username', value: '{{api_key}}', type: 'string' },
        { key: 'password', value: '{{api_secret}}', type: 'string' },
      ],
    },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: folders.map(({ name, description: text, requests }) => ({
      name,
      description: text,
      item: requests.map(toItem),
    })),
  }
  return { 'sdk/postman/bursar.postman_collection.json': `${JSON.stringify(collection, null, 1)}\n` }
}

function toItem(request: CollectedRequest): object {
  const { name, description, method, path, query, isWrite, body, fileType, captures } = request
  const isOn = query.filter(one => one.isOn).map(one => `${one.name}=${one.value}`)
  return {
    name,
    ...(captures.length === 0
      ? {}
      : { event: [{ listen: 'test', script: { type: 'text/javascript', exec: capture(captures) } }] }),
    request: {
      method,
      description,
      header: [
        ...(isWrite ? [{ key: 'Idempotency-Key', value: '{{$randomUUID}}' }] : []),
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...(fileType === null ? [] : [{ key: 'Content-Type', value: fileType }]),
      ],
      url: {
        raw: `{{base_url}}${path}${isOn.length === 0 ? '' : `?${isOn.join('&')}`}`,
        host: ['{{base_url}}'],
        path: path.slice(1).split('/'),
        query: query.map(one => ({
          key: one.name,
          value: one.value,
          description: one.description,
          disabled: !one.isOn,
        })),
      },
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
      ...(fileType === null ? {} : { body: { mode: 'file', file: {} } }),
    },
  }
}

function capture(names: readonly string[]): string[] {
  return [
    'const { data } = pm.response.json()',
    ...names.map(name => `if (data && data.${name}) pm.collectionVariables.set('${name}', data.${name})`),
  ]
}
