import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findPasswordFlaw } from '../../../src/console/auth/passwords.ts'
import { passwordFlaw } from '../../../src/console/auth/passwords.rules.ts'

const person = { email: 'asha.rao@school.example', name: 'Asha Rao', institutes: ['Green Valley School'] }

test('a long sentence is a good password; what is short, repeated or one’s own address is not', async () => {
  for (const good of [
    'seven green kites',
    'correct horse battery',
    'नौ नीली पतंगें और एक',
    'Tr0ub4dor&3-xyz',
    'mike 7391 8264 5530',
    'V7q-kettle-93hd',
  ]) {
    assert.equal(await findPasswordFlaw(good, person), null, good)
  }
  for (const bad of [
    'short',
    'aaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    'asha.rao@school.example',
    'asha.rao1234',
    'x'.repeat(201),
  ]) {
    assert.notEqual(await findPasswordFlaw(bad, person), null, bad)
  }
})

test('a common password is refused, however it is dressed up', async () => {
  for (const bad of [
    'administrator',
    'Password1234!',
    'P@ssw0rd2026!',
    'passwordpassword',
    'qwerty123456',
    '1qaz2wsx3edc',
    '123456789012',
    'Welcome@12345',
    'JaiShriRam@108',
    '@dm1n@dm1n@dm1n',
    'AshaRao20261',
    'p.a.s.s.w.o.r.d',
    'abcdefghijkl',
    '13579246801357',
    'asdfqwerzxcv',
    'waheguru12345',
    'correcthorsebatterystaple',
    'Mumbai@Delhi#2026',
    '987654321000',
    '1234567890ab',
    '123412341235',
    '!@#$%^&*()_+',
    'password1234567890',
    'thisismypassword',
    'P@ssw0rd!P@ssw0rd',
    'qwerty-asdfgh-zxcvbn',
    'abcd1234efgh',
    'superadmin123',
    'ganesha@12345',
    'Diwali@2026!!',
    'letmein-please',
    'green-valley-2026',
    'GreenValley@2026',
  ]) {
    assert.match((await findPasswordFlaw(bad, person)) ?? '', /too easy to guess/, bad)
  }
})

test('nothing that people put around a common word makes it a good password', () => {
  const around = fc.string({
    unit: fc.constantFrom('1', '0', '6', '!', '@', '#', '$', ' ', '-', '_', '.'),
    maxLength: 4,
  })
  const common = new Set(['sunflower', 'mountains'])
  fc.assert(
    fc.property(fc.constantFrom(...common), around, around, (word, before, behind) => {
      assert.notEqual(passwordFlaw(`${before}${word.toUpperCase()}${behind}`, person, common), null)
    }),
  )
})
