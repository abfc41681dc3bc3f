import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseContacts, securityTxt } from '../../src/http/security-txt.ts'
import { startBursar } from '../harness/bursar.ts'

test('whoever finds a weakness is told whom to tell, in a file that has not expired', async t => {
  const { url } = await startBursar(t, {
    SECURITY_CONTACT: 'security@school.example.in, https://school.example.in/report',
  })
  const answer = await fetch(`${url}/.well-known/security.txt`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
  const lines = (await answer.text()).split('\n')
  assert.deepEqual(lines.slice(0, 2), [
    'Contact: mailto:security@school.example.in',
    'Contact: https://school.example.in/report',
  ])
  const expires = Date.parse(/^Expires: (.*)$/m.exec(lines.join('\n'))?.[1] ?? '')
  const days = (expires - Date.now()) / 86_400_000
  assert.ok(days > 170 && days < 365, `it is good for ${days} days`)
  assert.ok(lines.includes(`Canonical: ${url}/.well-known/security.txt`), lines.join('\n'))
})

test('without a contact there is no such file, for it would tell nobody', async t => {
  const { url } = await startBursar(t)
  assert.equal((await fetch(`${url}/.well-known/security.txt`)).status, 404)
})

test('a contact is an e-mail address or an https address, and its file expires half a year later', () => {
  assert.deepEqual(parseContacts('mailto:a@b.in,c@d.in'), ['mailto:a@b.in', 'mailto:c@d.in'])
  for (const wrong of [
    '',
    'nobody',
    'http://school.in',
    'a@b',
    'a@b.in,',
    'a@b.in\nContact: x',
    'https://x y',
  ])
    assert.equal(parseContacts(wrong), null, wrong)
  const text = securityTxt(['mailto:a@b.in'], 'https://fees.school.in/', new Date('2026-11-18T23:59:59Z'))
  assert.match(text, /^Expires: 2027-05-17T00:00:00\.000Z$/m)
  assert.match(text, /^Canonical: https:\/\/fees\.school\.in\/\.well-known\/security\.txt$/m)
})
