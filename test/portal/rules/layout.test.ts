import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainOrigins } from '../../../src/portal/layout.ts'

test('forms lead to plain pages of this machine only where Bursar itself is tried on it', () => {
  const emulator = 'http://127.0.0.1:4010'
  assert.deepEqual(plainOrigins('https://fees.school.example', []), [])
  assert.deepEqual(plainOrigins('https://fees.school.example', [emulator]), [emulator])
  assert.deepEqual(plainOrigins('https://localhost:8443', [emulator]), [
    emulator,
    'http://127.0.0.1:*',
    'http://localhost:*',
  ])
})
