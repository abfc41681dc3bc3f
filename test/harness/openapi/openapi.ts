import assert from 'node:assert/strict'
import type { Json } from '../client.ts'

/** The OpenAPI document that a Bursar serves, with every reference replaced by what it refers to. */
export async function readInlined(url: string): Promise<Json> {
  const response = await fetch(`${url}/openapi.json`)
  assert.equal(response.status, 200, 'the service serves its OpenAPI document')
  return inlined(await response.json())
}

function inlined(document: Json): Json {
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]))
    const target = $ref
      .slice('#/'.length)
      .split('/')
      .reduce<Json>((at, part) => at?.[part], document)
    assert.ok(target, `${$ref} refers to nothing`)
    return { ...resolve(target), ...rest }
  }
  return resolve(document)
}
