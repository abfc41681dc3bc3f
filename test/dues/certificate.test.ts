import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { spanOf, sumByFee } from '../../src/dues/certificate/certificate.rules.ts'
import { paiseOf, sumPaise } from '../../src/platform/money.ts'
import { StudentDesk, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { ERP } from '../harness/samples.ts'
import { textOf, visitAs } from '../portal/parents-support.ts'

test('a financial year runs from April to March, and nothing else is one', () => {
  assert.deepEqual(spanOf('2026-27'), { from: '2026-04-01', before: '2027-04-01' })
  assert.deepEqual(spanOf('2099-00'), { from: '2099-04-01', before: '2100-04-01' })
  for (const text of ['2026', '2026-28', '2026-2027', '1899-00', '']) assert.throws(() => spanOf(text))
})

test('sums by fee add up to all that was paid less all that was given back', () => {
  const line = fc.record({
    componentType: fc.constantFrom('TUITION_FEE', 'BUS_FEE'),
    amountPaise: fc.integer({ min: -10_000, max: 10_000 }).map(paiseOf),
  })
  fc.assert(
    fc.property(fc.array(line), lines => {
      const all = (some: readonly { amountPaise: ReturnType<typeof paiseOf> }[]): number =>
        sumPaise(some.map(one => one.amountPaise))
      assert.equal(all(sumByFee(lines)), all(lines))
    }),
  )
})

test('a certificate is there for a year in which a child paid, for staff and for its own parents alone', async () => {
  const desk = await StudentDesk.open(after)
  const { bursar, viewer } = desk
  const parent = desk.nextParent()
  const id = await desk.register({}, { parent })
  const at = `${STUDENTS}/${id}/fee-certificate?financial_year=2026-27`
  assertAnswer(await viewer.get(at), '409 HUE00002')
  const paid = await bursar.demo.post(`${ERP}/students/${id}/payments`, {
    amount: 1_200,
    paid_at: '2026-11-02',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 1_200 }],
  })
  assertAnswer(paid, '201')
  assert.equal((await viewer.get(at)).text.slice(0, 5), '%PDF-')
  assertAnswer(await viewer.get(`${STUDENTS}/${id}/fee-certificate?financial_year=2025-26`), '409 HUE00002')
  assertAnswer(await viewer.get(`${STUDENTS}/${id}/fee-certificate?financial_year=2026`), '400 HUE00000')
  const visitor = await visitAs(bursar, parent)
  assert.match(
    textOf((await visitor.get('/parents/history')).text),
    /Fee certificate of Kabir Rao for tax \(PDF\)/,
  )
  const own = `/parents/students/${id}/fee-certificate/2026-27`
  assert.equal((await visitor.get(own)).text.slice(0, 5), '%PDF-')
  const stranger = desk.nextParent()
  await desk.register({}, { parent: stranger })
  assert.equal((await (await visitAs(bursar, stranger)).get(own)).status, 404)
  assert.equal((await visitor.get(own.replace('2026-27', '2025-26'))).status, 404)
})
