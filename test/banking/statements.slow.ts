import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer, Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder } from '../harness/samples.ts'
import { uploadFile } from '../console/orders/support.ts'
import { SCHOOL, STUDENTS } from '../console/students/support.ts'
import { assertAnswer } from '../console/support.ts'
import { BANK, BankDesk, credit } from './support.ts'

const bank = await BankDesk.open(after)
const { desk, today } = bank
const { bursar, finance, viewer } = desk
const { demo } = bursar

const decide = (line: Json, act: string, body: Json): Promise<Answer> =>
  finance.post(`${BANK}/lines/${line.id}/${act}`, body)

async function settlement(): Promise<Json> {
  const { body } = await demo.post(`${PAY}/orders`, sampleOrder())
  await demo.post(`/api/v1/sandbox/pay/orders/${body.data.order_id}/pay`, { outcome: 'success' })
  assertAnswer(await demo.post('/api/v1/sandbox/settlements/run'), '200')
  return (await demo.get(`${PAY}/settlements?limit=1`)).body.data[0]
}

const debit = (day: string, text: string, amount: number): string => `${day},${text},,${amount.toFixed(2)},,`

test('a settlement, a deposit and a cheque are matched by UTR, number and amount; the rest is left to decide', async () => {
  const account = await bank.newAccount()
  const { utr, net } = await settlement()
  const denominations = [{ value: 500, count: 7 }]
  const id = await desk.register()
  const cash = { mode: 'cash', fee_components: [{ component_type: 'TUITION_FEE', amount: 3_500 }] }
  const taken = { amount: 3_500, paid_at: today, ...cash }
  assertAnswer(await finance.post(`${STUDENTS}/${id}/payments`, taken), '201')
  const slip = (await finance.post(`${SCHOOL}/counter/deposits`, { account_id: account, denominations })).body
  const instrument = { number: '007731', bank: 'Canara Bank' }
  const cheque = await finance.post(`${STUDENTS}/${id}/payments`, {
    amount: 900,
    paid_at: today,
    mode: 'cheque',
    fee_components: [{ component_type: 'TUITION_FEE', amount: 900 }],
    instrument,
  })
  const statement = await bank.add(account, [
    credit(today, `NEFT CR ${utr}`, utr, net),
    credit(today, 'CASH DEPOSIT SELF', '', 3_500),
    credit(today, 'CLG 7731 CANARA', '7731', 900),
    credit(today, 'UPI KABIR RAO', 'UPI998877', 1_234),
    debit(today, 'SMS CHARGES', 118),
  ])
  assert.deepEqual([statement.line_count, statement.new_line_count, statement.matched_count], [5, 5, 3])
  const lines = await bank.linesOf(account)
  const kinds = lines.map(line => [line.amount, line.state, line.matches[0]?.kind])
  assert.deepEqual(
    kinds.toSorted((one, other) => one[0] - other[0]),
    [
      [-118, 'open', undefined],
      [900, 'matched', 'cheque'],
      [1_234, 'open', undefined],
      [3_500, 'matched', 'deposit'],
      [net, 'matched', 'settlement'],
    ].toSorted((one, other) => Number(one[0]) - Number(other[0])),
  )
  const { body } = await viewer.get(`${SCHOOL}/counter/cheques?number=007731`)
  assert.deepEqual([body.data[0].payment_id, body.data[0].state], [cheque.body.data.id, 'cleared'])
  const deposits = (await viewer.get(`${SCHOOL}/counter/deposits`)).body.data
  assert.equal(deposits.find((one: Json) => one.id === slip.data.id).received_on, today)
  const { open_lines: open, open_credit: came, open_debit: went } = await bank.statusOf(account)
  assert.deepEqual([open, came, went], [2, 1_234, 118])
})

test('the same statement again adds nothing, and one that overlaps adds only what is new', async () => {
  const account = await bank.newAccount()
  const first = [credit('2026-11-01', 'UPI A', 'R1', 10), credit('2026-11-01', 'UPI A', 'R1', 10)]
  assert.equal((await bank.add(account, first)).new_line_count, 2)
  assert.equal((await bank.add(account, first)).new_line_count, 0)
  const longer = [...first, credit('2026-11-01', 'UPI A', 'R1', 10), credit('2026-11-02', 'UPI B', 'R2', 5)]
  assert.equal((await bank.add(account, longer)).new_line_count, 2)
  assert.equal((await bank.linesOf(account)).length, 4)
})

test('a line is decided by hand and the account reconciled up to a day; every decision can be undone', async () => {
  const account = await bank.newAccount()
  await bank.add(account, [debit('2026-11-03', 'CHARGES', 59), credit('2026-11-05', 'INTEREST', '', 77)])
  const [interest, charges] = await bank.linesOf(account)
  assert.equal((await bank.statusOf(account)).reconciled_through, undefined)
  assertAnswer(await decide(charges, 'other', {}), '400 HUE00000')
  assertAnswer(await decide(charges, 'other', { reason: 'SMS charges of the bank' }), '200')
  assert.equal((await bank.statusOf(account)).reconciled_through, '2026-11-04')
  assertAnswer(await decide(charges, 'other', { reason: 'Again' }), '409 HUE00002')
  assertAnswer(await decide(interest, 'other', { reason: 'Interest' }), '200')
  assert.equal((await bank.statusOf(account)).reconciled_through, '2026-11-05')
  assertAnswer(await decide(charges, 'undo', { reason: 'A cheque came back' }), '200')
  assertAnswer(await decide(charges, 'undo', { reason: 'Again' }), '409 HUE00002')
  assert.equal((await bank.statusOf(account)).reconciled_through, undefined)
  const denied = await viewer.post(`${BANK}/lines/${charges.id}/other`, { reason: 'No' })
  assertAnswer(denied, '403 AUE00001')
})

test('a transfer that nobody knew of becomes a payment with a receipt, and is cancelled when that is undone', async () => {
  const account = await bank.newAccount()
  const id = await desk.register()
  const dues = async (): Promise<number> =>
    (await demo.get(`${ERP}/students/${id}/dues`)).body.data.total_amount
  const before = await dues()
  await bank.add(account, [credit('2026-11-06', 'NEFT RAO TUITION', 'SBIN52611060001', 2_000)])
  const [line] = await bank.linesOf(account)
  const body = {
    service_student_id: id,
    fee_components: [{ component_type: 'TUITION_FEE', amount: 2_000 }],
  }
  const wrong = { ...body, fee_components: [{ component_type: 'TUITION_FEE', amount: 1_999 }] }
  assertAnswer(await finance.post(`${BANK}/lines/${line.id}/payment`, wrong), '400 HUE00000')
  const answers = await Promise.all([1, 2].map(() => finance.post(`${BANK}/lines/${line.id}/payment`, body)))
  assert.deepEqual(
    answers.map(one => one.status).toSorted((one, other) => one - other),
    [200, 409],
  )
  assert.equal(await dues(), before - 2_000)
  const [payment] = (await demo.get(`${ERP}/students/${id}/payments`)).body.data
  assert.deepEqual([payment.transaction_id, payment.mode], ['SBIN52611060001', 'bank_transfer'])
  assert.match(payment.receipt_number, /^\d{4}-\d{2}\/\d{6}$/)
  assertAnswer(await finance.post(`${BANK}/lines/${line.id}/undo`, { reason: 'Another child' }), '200')
  assert.equal(await dues(), before)
  assert.equal((await bank.linesOf(account))[0].state, 'open')
})

test('one line may be several payments together, and nothing is on two lines', async () => {
  const account = await bank.newAccount()
  const id = await desk.register()
  const take = async (amount: number): Promise<Json> => {
    const answer = await finance.post(`${STUDENTS}/${id}/payments`, {
      amount,
      paid_at: '2026-11-09',
      mode: 'card',
      fee_components: [{ component_type: 'TUITION_FEE', amount }],
    })
    return { kind: 'transfer', id: answer.body.data.id }
  }
  const [one, two] = [await take(300), await take(450)]
  await bank.add(account, [
    credit('2026-11-10', 'CARD MACHINE', '', 750),
    credit('2026-11-10', 'CARD 2', '', 300),
  ])
  const lines = await bank.linesOf(account)
  const both = lines.find(line => line.amount === 750) ?? assert.fail()
  const other = lines.find(line => line.amount === 300) ?? assert.fail()
  const candidates = (await viewer.get(`${BANK}/lines/${both.id}/candidates`)).body.data
  assert.ok([one, two].every(({ id: wanted }) => candidates.some((found: Json) => found.id === wanted)))
  const short = await decide(both, 'match', { targets: [one] })
  assertAnswer(short, '400 HUE00000')
  assert.match(short.body.errors[0].message, /₹300\.00 together, and the line is ₹750\.00/)
  assertAnswer(await decide(both, 'match', { targets: [one, two] }), '200')
  assertAnswer(await decide(other, 'match', { targets: [one] }), '409 HUE00002')
})

test('columns are matched by hand once and remembered for the account', async () => {
  const account = await bank.newAccount()
  const file = 'Wann;Was;Wieviel\r\n06/11/2026;UPI;12.50'
  const send = (to: string, query = ''): Promise<Answer> =>
    uploadFile(finance, file, { to: `bank/${to}`, query: `account_id=${account}${query}` })
  const preview = await send('statement-previews')
  assertAnswer(preview, '200')
  assert.deepEqual(
    [preview.body.data.columns, preview.body.data.titles],
    [undefined, ['wann', 'was', 'wieviel']],
  )
  assertAnswer(await send('statements'), '400 HUE00000')
  const byHand = '&header_row=1&date_column=0&text_column=1&credit_column=2'
  assert.equal((await send('statement-previews', byHand)).body.data.line_count, 1)
  assertAnswer(await send('statements', byHand), '201')
  const again = (await send('statement-previews')).body.data
  assert.deepEqual([again.line_count, again.samples[0].amount, again.columns.credit], [1, 12.5, 2])
})

test('an unreadable amount adds nothing and names its row; MT940 needs no columns', async () => {
  const account = await bank.newAccount()
  const bad = await bank.upload(account, [credit('2026-11-06', 'A', '', 5), '07/11/2026,B,,,five,'])
  assertAnswer(bad, '400 HUE00000')
  assert.match(bad.body.message, /^Row 4: The amount cannot be read/)
  assert.equal((await bank.linesOf(account)).length, 0)
  const mt940 =
    ':20:X\n:25:5010\n:28C:1/1\n:60F:C261105INR0,00\n:61:2611061106C12,50NTRFREF123456\n:86:UPI\n-'
  const sent = await uploadFile(finance, mt940, { to: 'bank/statements', query: `account_id=${account}` })
  assertAnswer(sent, '201')
  assert.deepEqual(
    (await bank.linesOf(account)).map(line => [line.day, line.amount, line.reference]),
    [['2026-11-06', 12.5, 'REF123456']],
  )
})

test('a booking that another format brought is not added again; where references differ a person says', async () => {
  const account = await bank.newAccount()
  await bank.add(account, [
    credit('2026-11-06', 'NEFT CR-AXISCN0123456789-FEES', 'AXISCN0123456789', 5_000),
    credit('2026-11-06', 'CASH DEPOSIT', '', 800),
    credit('2026-11-07', 'UPI KABIR', 'UPI600123456', 1_200),
  ])
  const mt940 = [
    ':20:X\n:25:5010\n:28C:1/1\n:60F:C261105INR0,00',
    ':61:2611061106C5000,00NTRFNONREF\n:86:NEFT INWARD AXISCN 0123456789',
    ':61:2611061106C800,00NMSCNONREF\n:86:BY CASH',
    ':61:2611061106C800,00NMSCNONREF\n:86:BY CASH COUNTER 2',
    ':61:2611071107C1200,00NTRFUPI700999888\n:86:UPI',
    '-',
  ].join('\n')
  const send = (to: string, query = '') =>
    uploadFile(finance, mt940, { to: `bank/${to}`, query: `account_id=${account}${query}` })
  const seen = (await send('statement-previews')).body.data
  assert.deepEqual(
    [seen.line_count, seen.known_count, seen.other_format_count, seen.doubtful_count],
    [4, 0, 2, 1],
  )
  assert.deepEqual([seen.doubtful[0].amount, seen.doubtful[0].reference], [1_200, 'UPI700999888'])
  const refused = await send('statements')
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.body.message, /^One line has the day and amount .*7 Nov.*Stay with one format/)
  assert.equal((await bank.linesOf(account)).length, 3, 'nothing is half done')
  const added = await send('statements', '&similar=add')
  assertAnswer(added, '201')
  assert.equal(added.body.data.new_line_count, 2)
  const again = await send('statements')
  assertAnswer(again, '201')
  assert.equal(again.body.data.new_line_count, 0)
  const lines = await bank.linesOf(account)
  assert.deepEqual(lines.map(line => String(line.amount)).toSorted(), ['1200', '1200', '5000', '800', '800'])
})

test('a slip whose cheques the bank books one by one says how many are cleared', async () => {
  const account = await bank.newAccount()
  const id = await desk.register()
  const cheques = []
  for (const [number, amount] of [
    ['880011', 700],
    ['880012', 650],
  ] as const) {
    const taken = await finance.post(`${STUDENTS}/${id}/payments`, {
      amount,
      paid_at: today,
      mode: 'cheque',
      fee_components: [{ component_type: 'TUITION_FEE', amount }],
      instrument: { number, bank: 'Canara Bank' },
    })
    assertAnswer(taken, '201')
    cheques.push(taken.body.data.id)
  }
  const made = await finance.post(`${SCHOOL}/counter/deposits`, { account_id: account, cheques })
  assertAnswer(made, '201')
  await bank.add(account, [credit(today, 'CLG 880011', '880011', 700)])
  const { data } = (await viewer.get(`${SCHOOL}/counter/deposits`)).body
  const slip = data.find((one: Json) => one.id === made.body.data.id)
  assert.deepEqual([slip.cheque_count, slip.cleared_count, slip.bounced_count], [2, 1, 0])
  assert.equal(slip.received_on, undefined)
})

test('a line that two formats word alike stands for itself alone: another of its day and amount is added', async () => {
  const account = await bank.newAccount()
  const first = credit('2026-11-10', 'UPI KABIR', '600123456789', 500)
  await bank.add(account, [first])
  // As if the file had been an XLSX of the same words.
  await bursar.sql(`update bank_statements set format = 'xlsx' where account_id = $1`, [account])
  const { new_line_count: count } = await bank.add(account, [
    first,
    credit('2026-11-10', 'CASH DEPOSIT', '', 500),
  ])
  assert.equal(count, 1)
})
