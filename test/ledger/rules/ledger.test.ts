import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  balanceOf,
  captureOf,
  disputeEndOf,
  disputeOf,
  duplicateRefundOf,
  refundRequestOf,
  refundResultOf,
  returnOf,
  settlementOf,
  type Account,
  type Posting,
} from '../../../src/ledger/ledger.rules.ts'
import { paiseOf, sumPaise, ZERO, type Paise } from '../../../src/platform/money.ts'

const MAX_PAISE = 10_000_000_000_000
const amount = fc.integer({ min: 1, max: MAX_PAISE }).map(paiseOf)

function balances(postings: readonly Posting[]): Record<Account, number> {
  const transfers = postings.flatMap(posting => posting.transfers)
  const sumOf = (end: 'source' | 'destination', account: Account): Paise =>
    sumPaise(transfers.filter(transfer => transfer[end] === account).map(({ amountPaise }) => amountPaise))
  const of = (account: Account): number =>
    balanceOf(account, {
      receivedPaise: sumOf('destination', account),
      sentPaise: sumOf('source', account),
    })
  return {
    provider_receivable: of('provider_receivable'),
    institute_payable: of('institute_payable'),
    payer_clearing: of('payer_clearing'),
    refunds: of('refunds'),
    disputes: of('disputes'),
    settlement_bank: of('settlement_bank'),
    fees: of('fees'),
    institute_settled: of('institute_settled'),
  }
}

const NOTHING = balances([])

test('every transfer of every posting moves a positive amount between two accounts', () => {
  const part = fc.integer({ min: 0, max: MAX_PAISE }).map(paiseOf)
  fc.assert(
    fc.property(amount, fc.boolean(), part, part, (paise, flag, feePaise, refundPaise) => {
      const postings = [
        captureOf('pay_1', paise, flag),
        refundRequestOf('rfd_1', paise),
        refundResultOf('rfd_1', paise, flag),
        duplicateRefundOf('rfd_1', paise),
        returnOf('rfd_1', paise),
      ]
      if (paise !== refundPaise || feePaise !== 0)
        postings.push(settlementOf('stl_1', { grossPaise: paise, feePaise, refundPaise }))
      for (const { kind, transfers } of postings) {
        assert.ok(transfers.length > 0, kind)
        for (const { source, destination, amountPaise } of transfers) {
          assert.ok(amountPaise > 0, kind)
          assert.notEqual(source, destination, kind)
        }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a settlement moves what the provider held to the bank and its fees, and is no longer owed to the institute', () => {
  const [grossPaise, feePaise, refundPaise] = [paiseOf(10_000), paiseOf(236), paiseOf(1_000)]
  const before = [
    captureOf('pay_1', grossPaise, false),
    refundRequestOf('rfd_1', refundPaise),
    refundResultOf('rfd_1', refundPaise, true),
  ]
  assert.deepEqual(balances(before), { ...NOTHING, provider_receivable: 9_000, institute_payable: 9_000 })
  assert.deepEqual(balances([...before, settlementOf('stl_1', { grossPaise, feePaise, refundPaise })]), {
    ...NOTHING,
    settlement_bank: 8_764,
    fees: 236,
    institute_settled: 9_000,
  })
})

test('a settlement in which refunds outweigh payments takes money back from the bank', () => {
  const sums = { grossPaise: paiseOf(1_000), feePaise: paiseOf(20), refundPaise: paiseOf(5_000) }
  assert.deepEqual(balances([settlementOf('stl_1', sums)]), {
    ...NOTHING,
    provider_receivable: 4_000,
    institute_payable: 4_000,
    settlement_bank: -4_020,
    fees: 20,
    institute_settled: -4_000,
  })
  assert.throws(() => settlementOf('stl_2', { grossPaise: ZERO, feePaise: ZERO, refundPaise: ZERO }))
})

/** What happens to money, and beside the ledger the plain sums that the accounts are named after. */
class Model {
  readonly postings: Posting[] = []
  readonly sums = { taken: 0, duplicates: 0, refunded: 0, pending: 0, processed: 0, givenBack: 0, held: 0 }
  readonly settled = { gross: 0, fee: 0, refund: 0 }
  #number = 0
  /** Refunds without a result. */
  #pending: { id: string; paise: Paise }[] = []
  /** Disputes that are open. */
  #disputed: { id: string; paise: Paise }[] = []
  /** Captured or given back, and in no settlement yet. */
  #unsettled = { gross: 0, refund: 0 }

  capture(paise: Paise, isDuplicate: boolean): void {
    this.postings.push(captureOf(this.#id(), paise, isDuplicate))
    this.sums.taken += paise
    if (isDuplicate) this.sums.duplicates += paise
    this.#unsettled.gross += paise
  }

  requestRefund(paise: Paise): void {
    const id = this.#id()
    this.postings.push(refundRequestOf(id, paise))
    this.#pending.push({ id, paise })
    this.sums.refunded += paise
    this.sums.pending += paise
  }

  finishRefund(isProcessed: boolean): void {
    const refund = this.#pending.shift()
    if (refund === undefined) return
    this.postings.push(refundResultOf(refund.id, refund.paise, isProcessed))
    this.sums.pending -= refund.paise
    if (isProcessed) this.#giveBack(refund.paise)
    else this.sums.refunded -= refund.paise
  }

  giveDuplicateBack(paise: Paise): void {
    this.postings.push(duplicateRefundOf(this.#id(), paise))
    this.sums.givenBack += paise
    this.#giveBack(paise)
  }

  takeBack(paise: Paise): void {
    this.postings.push(returnOf(this.#id(), paise))
    this.sums.refunded += paise
    this.#giveBack(paise)
  }

  dispute(paise: Paise): void {
    const id = this.#id()
    this.postings.push(disputeOf(id, paise))
    this.#disputed.push({ id, paise })
    this.sums.held += paise
  }

  /** A lost one takes what it held. */
  decideDispute(isLost: boolean): void {
    const dispute = this.#disputed.shift()
    if (dispute === undefined) return
    this.postings.push(disputeEndOf(dispute.id, dispute.paise))
    this.sums.held -= dispute.paise
    if (isLost) this.takeBack(dispute.paise)
  }

  settle(feePaise: Paise): void {
    const { gross, refund } = this.#unsettled
    if (gross === refund && feePaise === 0) return
    const sums = { grossPaise: paiseOf(gross), refundPaise: paiseOf(refund), feePaise }
    this.postings.push(settlementOf(this.#id(), sums))
    this.settled.gross += gross
    this.settled.refund += refund
    this.settled.fee += feePaise
    this.#unsettled = { gross: 0, refund: 0 }
  }

  expected(): Record<Account, number> {
    const { taken, duplicates, refunded, pending, processed, givenBack, held } = this.sums
    const paidOut = this.settled.gross - this.settled.refund
    return {
      provider_receivable: taken - processed - paidOut,
      institute_payable: taken - duplicates - refunded - held - paidOut,
      payer_clearing: duplicates - givenBack,
      refunds: pending,
      disputes: held,
      settlement_bank: paidOut - this.settled.fee,
      fees: this.settled.fee,
      institute_settled: paidOut,
    }
  }

  #giveBack(paise: Paise): void {
    this.sums.processed += paise
    this.#unsettled.refund += paise
  }

  #id(): string {
    this.#number += 1
    return `id_${this.#number}`
  }
}

test('after any sequence of payments, refunds, returns, disputes and settlements every balance is what the account’s name says', () => {
  const paise = fc.integer({ min: 1, max: 1_000_000_000 }).map(paiseOf)
  const step = fc.oneof(
    fc.tuple(paise, fc.boolean()).map(
      ([of, twice]) =>
        (model: Model) =>
          model.capture(of, twice),
    ),
    paise.map(of => (model: Model) => model.requestRefund(of)),
    fc.boolean().map(isProcessed => (model: Model) => model.finishRefund(isProcessed)),
    paise.map(of => (model: Model) => model.giveDuplicateBack(of)),
    paise.map(of => (model: Model) => model.takeBack(of)),
    paise.map(of => (model: Model) => model.dispute(of)),
    fc.boolean().map(isLost => (model: Model) => model.decideDispute(isLost)),
    fc.integer({ min: 0, max: 1_000 }).map(fee => (model: Model) => model.settle(paiseOf(fee))),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const model = new Model()
      for (const act of steps) act(model)
      const found = balances(model.postings)
      assert.deepEqual(found, model.expected())
      const held = found.provider_receivable + found.settlement_bank + found.fees
      const owed =
        found.institute_payable +
        found.payer_clearing +
        found.refunds +
        found.disputes +
        found.institute_settled
      assert.equal(held, owed)
    }),
    { numRuns: 1_000 },
  )
})

test('a payment that the bank took back leaves every account empty', () => {
  fc.assert(
    fc.property(amount, paise => {
      assert.deepEqual(balances([captureOf('pay_1', paise, false), returnOf('rfd_1', paise)]), NOTHING)
    }),
  )
})

test('a refund that fails leaves the institute owed as before it was asked for', () => {
  fc.assert(
    fc.property(amount, paise => {
      assert.deepEqual(balances([refundRequestOf('r', paise), refundResultOf('r', paise, false)]), NOTHING)
    }),
  )
})

test('a duplicate is owed to its payer, not to the institute, and nobody is owed once it went back', () => {
  fc.assert(
    fc.property(amount, paise => {
      const captured = captureOf('pay_2', paise, true)
      assert.deepEqual(balances([captured]), {
        ...NOTHING,
        provider_receivable: paise,
        payer_clearing: paise,
      })
      assert.deepEqual(balances([captured, duplicateRefundOf('rfd_2', paise)]), NOTHING)
    }),
  )
})
