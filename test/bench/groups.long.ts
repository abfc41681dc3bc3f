import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isMet, type Figure } from '../../bench/figures.ts'
import { GROUPS } from '../../bench/groups.ts'
import { LEAST } from '../../bench/size.ts'

describe('benches', { concurrency: 2 }, () => {
  for (const [name, measure] of Object.entries(GROUPS)) {
    it(`${name} runs to its end and finds figures`, async () => {
      const figures = await measure(LEAST)
      assert.ok(figures.length > 0)
      for (const figure of figures) {
        assert.ok(Number.isFinite(figure.value), `${figure.name}: ${figure.value}`)
        // So small a run says nothing of speed, but what it did has to be right.
        if (countsFaults(figure)) assert.ok(isMet(figure), `${figure.name}: ${figure.detail}`)
      }
    })
  }
})

function countsFaults({ aim }: Figure): boolean {
  return aim !== null && 'most' in aim && aim.most === 0
}
