import type { CollectedRequest, Collection } from './collection.ts'

export function generateBruno({ title, variables, folders }: Collection): Record<string, string> {
  const settings = { version: '1', name: title, type: 'collection', ignore: ['node_modules', '.git'] }
  const sandbox = Object.entries(variables).map(([name, value]) => `  ${name}: ${value}\n`)
  const files = folders.flatMap(({ name, requests }, folder) =>
    requests.map((request, no): [string, string] => [
      `sdk/bruno/${name}/${request.name.replaceAll('/', ' or ')}.bru`,
      toFile(request, no + 1 + folder * 100),
    ]),
  )
  return {
    'sdk/bruno/bruno.json': `${JSON.stringify(settings, null, 2)}\n`,
    'sdk/bruno/collection.bru':
      'auth {\n  mode: basic\n}\n\nauth:basic {\n  username: {{api_key}}\n  password: {{api_secret}}\n}\n',
    'sdk/bruno/environments/sandbox.bru': `vars {\n${sandbox.join('')}}\n`,
    ...Object.fromEntries(files),
  }
}

function toFile(request: CollectedRequest, seq: number): string {
  const { name, description, method, path, query, isWrite, body, fileType, captures } = request
  const asked = query.filter(one => one.isOn).map(one => `${one.name}=${one.value}`)
  const address = `{{base_url}}${path}${asked.length === 0 ? '' : `?${asked.join('&')}`}`
  const bodyMode = body !== undefined ? 'json' : fileType === null ? 'none' : 'file'
  const parts = [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${seq}`]),
    block(method.toLowerCase(), [`url: ${address}`, `body: ${bodyMode}`, 'auth: inherit']),
    ...(query.length === 0
      ? []
      : [
          block(
            'params:query',
            query.map(one => `${one.isOn ? '' : '~'}${one.name}: ${one.value}`),
          ),
        ]),
    ...(isWrite ? [block('headers', ['Idempotency-Key: {{$randomUUID}}'])] : []),
    ...(body === undefined ? [] : [block('body:json', JSON.stringify(body, null, 2).split('\n'))]),
    ...(fileType === null ? [] : [block('body:file', [`file: @file() @contentType(${fileType})`])]),
    ...(captures.length === 0
      ? []
      : [
          block(
            'vars:post-response',
            captures.map(one => `${one}: res.body.data.${one}`),
          ),
        ]),
    block('docs', description.split('\n')),
  ]
  return parts.join('\n')
}

function block(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map(line => `  ${line}`.trimEnd()).join('\n')}\n}\n`
}
