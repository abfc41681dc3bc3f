import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

test('every file that the map of the architecture names is there', () => {
  const map = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const named = [...map.matchAll(/`([\w-]+(?:\/[\w.-]+)*\.ts)`/g)].map(([, path = '']) => path)
  const missing = named.filter(path => !['src', '.', 'src/app'].some(at => existsSync(join(ROOT, at, path))))
  assert.ok(named.length > 40)
  assert.deepEqual(missing, [])
})
