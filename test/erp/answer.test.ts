import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constants, brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { understand } from '../../src/erp/erp.client.ts'
import type { ErpAnswer } from '../../src/erp/erp.rules.ts'
import { sampleRecord } from '../harness/fakes/erp.ts'

/** What is made of an ERP's answer, whatever it is. */
const LENIENT = { isBranchRequired: false, isScheduleRequired: false }
const ASKED = { identifier: 'ADM-1042' }

function answer(body: unknown, httpStatus = 200): ErpAnswer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body) ?? '')
  const result = { httpStatus, headers: {}, body: bytes, isTruncated: false, durationMs: 1 }
  return understand({ kind: 'answered', ...result }, ASKED, LENIENT)
}

function success(record: unknown): ErpAnswer {
  return answer({ status: 'success', data: record })
}

test('whatever JSON comes with whatever status, it is understood or called unavailable, never an accident', () => {
  const status = fc.constantFrom(200, 200, 422, 204, 301, 401, 404, 500)
  fc.assert(
    fc.property(fc.jsonValue(), status, (body, httpStatus) => {
      assert.equal(answer(body, httpStatus).kind, 'unavailable')
    }),
  )
})

test('one field of a good record replaced by anything is named by its path, or was good', () => {
  const good = sampleRecord()
  const names = Object.keys(good.student)
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
      const result = success({ ...good, student: { ...good.student, [name]: value } })
      if (result.kind === 'found') return
      assert.ok(result.kind === 'unavailable')
      assert.ok(result.problems.some(problem => problem.key.startsWith(`data.student.`)))
    }),
    { numRuns: 500 },
  )
})

test('a byte order mark and fields that nobody knows are no trouble', () => {
  const body = { status: 'success', extra: 1, data: { ...sampleRecord({ app: 'Red' }), version: 2 } }
  const result = answer(Buffer.from(`\uFEFF${JSON.stringify(body)}`))
  assert.equal(result.kind, 'found')
})

test('money may be digits and years numbers, phones are as the wire conventions have them', () => {
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: '60000.50' }]
  const student = {
    academic_year_start: 2026,
    academic_year_end: '2027',
    primary_contact_number: '+91-98765 43210',
  }
  const result = success(sampleRecord(student, { fee_components }))
  assert.ok(result.kind === 'found')
  assert.deepEqual(result.record.fees, [{ componentType: 'TUITION_FEE', feePaise: 6_000_050 }])
  assert.equal(result.record.profile.contactNumber, '+91-98765 43210')
})

const TWICE = { component_type: 'X', fee_amount: 1 }
const WRONG: [what: string, record: unknown, key: string][] = [
  ['no fee_components', { ...sampleRecord(), fee_components: undefined }, 'data.fee_components'],
  ['fee_components null', { ...sampleRecord(), fee_components: null }, 'data.fee_components'],
  ['no student', { fee_components: [] }, 'data.student'],
  ['a numeric identifier', sampleRecord({ identifier: 1042 }), 'data.student.identifier'],
  ['new_admission as text', sampleRecord({ new_admission: 'false' }), 'data.student.new_admission'],
  ['a year range backwards', sampleRecord({ academic_year_end: 2025 }), 'data.student.academic_year_end'],
  ['a day that does not exist', sampleRecord({ date_of_birth: '2015-02-30' }), 'data.student.date_of_birth'],
  [
    'an e-mail without a domain',
    sampleRecord({ primary_contact_email: 'asha@' }),
    'data.student.primary_contact_email',
  ],
  [
    'a negative fee',
    sampleRecord({}, { fee_components: [{ component_type: 'X', fee_amount: -1 }] }),
    'data.fee_components.0.fee_amount',
  ],
  [
    'a component twice',
    sampleRecord({}, { fee_components: [TWICE, TWICE] }),
    'data.fee_components.1.component_type',
  ],
  [
    'a schedule row without details',
    sampleRecord({}, { payment_schedule: [{ due_date: '2027-01-05', details: [] }] }),
    'data.payment_schedule.0.details',
  ],
  ['a user without a phone', sampleRecord({}, { user: { name: 'Asha' } }), 'data.user.phone'],
]
for (const [what, record, key] of WRONG) {
  test(`${what}: unavailable, and ${key} is named`, () => {
    const result = success(record)
    assert.ok(result.kind === 'unavailable')
    assert.equal(result.reason, 'wrong_record')
    assert.deepEqual(
      result.problems.map(problem => problem.key),
      [key],
    )
    assert.ok(result.message.includes(key))
  })
}

test('status error with 200, and status success with 422, are neither a record nor a refusal', () => {
  const wrong = answer({ status: 'error', message: 'x', code: 'data_error' })
  assert.ok(wrong.kind === 'unavailable' && wrong.problems.some(problem => problem.key === 'status'))
  const odd = answer({ status: 'success', message: 'x', code: 'data_error' }, 422)
  assert.ok(odd.kind === 'unavailable' && odd.reason === 'wrong_refusal')
})

function compressed(body: Buffer, encoding: string): ErpAnswer {
  const headers = { 'content-encoding': encoding }
  const result = { httpStatus: 200, headers, body, isTruncated: false, durationMs: 1 }
  return understand({ kind: 'answered', ...result }, ASKED, LENIENT)
}

test('an answer in any encoding that is asked for is understood as the plain one', () => {
  const plain = Buffer.from(JSON.stringify({ status: 'success', data: sampleRecord() }))
  const encoded: [string, Buffer][] = [
    ['gzip', gzipSync(plain)],
    ['GZIP', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['identity', plain],
  ]
  for (const [encoding, body] of encoded) assert.equal(compressed(body, encoding).kind, 'found', encoding)
})

/** Its usual quality takes ten seconds for zeros. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

test('the limit of 256 KiB counts decoded bytes, so a small answer cannot unpack to a large one', () => {
  const bomb = Buffer.alloc(64 * 1_024 * 1_024)
  const record = JSON.stringify({ status: 'success', data: sampleRecord() })
  const atLimit = Buffer.from(record.padEnd(256 * 1_024))
  const aboveLimit = Buffer.from(record.padEnd(256 * 1_024 + 1))
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, QUICKLY)],
  ] as const) {
    const before = process.memoryUsage().arrayBuffers
    const result = compressed(pack(bomb), encoding)
    assert.ok(result.kind === 'unavailable' && result.reason === 'too_large', encoding)
    assert.ok(process.memoryUsage().arrayBuffers - before < 32 * 1_024 * 1_024)
    assert.equal(compressed(pack(atLimit), encoding).kind, 'found')
    const over = compressed(pack(aboveLimit), encoding)
    assert.ok(over.kind === 'unavailable' && over.reason === 'too_large')
  }
})

test('whatever bytes come under whatever encoding, they are understood or called unavailable', () => {
  const encodings = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, br', '')
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), encodings, (bytes, encoding) => {
      const result = compressed(Buffer.from(bytes), encoding)
      assert.ok(result.kind === 'unavailable')
      // A digit alone is JSON, and no answer all the same.
      const isJson = encoding === '' && /^\s*\d+\s*$/.test(Buffer.from(bytes).toString('latin1'))
      assert.ok(isJson || result.reason === 'not_json')
    }),
    { examples: [[Uint8Array.from([48]), '']] },
  )
  const cut = gzipSync(JSON.stringify({ status: 'success', data: sampleRecord() })).subarray(0, 60)
  const result = compressed(cut, 'gzip')
  assert.ok(result.kind === 'unavailable' && /not whole gzip/.test(result.message))
})
