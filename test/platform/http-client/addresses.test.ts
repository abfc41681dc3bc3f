import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressPolicy, anyAddress } from '../../../src/platform/http-client/addresses.ts'

const sandbox = addressPolicy({ mode: 'sandbox', allowed: [] })
const live = addressPolicy({ mode: 'live', allowed: [] })
const openAsCanBe = addressPolicy({ mode: 'live', allowed: ['0.0.0.0/0', '::/0'] })
const POLICIES = { sandbox, live, openAsCanBe }

type Bytes = [number, number, number, number]

/** Any address of a range. */
function within(cidr: string): fc.Arbitrary<string> {
  const [network = '', bits = ''] = cidr.split('/')
  const base = toNumber(network.split('.').map(Number) as Bytes)
  return fc.integer({ min: 0, max: 2 ** (32 - Number(bits)) - 1 }).map(offset => toText(base + offset))
}

const toNumber = ([a, b, c, d]: Bytes): number => ((a * 256 + b) * 256 + c) * 256 + d
const toBytes = (value: number): Bytes => [24, 16, 8, 0].map(shift => (value >>> shift) & 255) as Bytes
const toText = (value: number): string => toBytes(value).join('.')

const hex = (high: number, low: number): string => (high * 256 + low).toString(16)

/** The same address as IPv6 carries it; each leads to it on some network. */
function spellings(v4: string): Record<string, string> {
  const [a, b, c, d] = v4.split('.').map(Number) as Bytes
  const [first, second] = [hex(a, b), hex(c, d)]
  return {
    plain: v4,
    mapped: `::ffff:${v4}`,
    'mapped in hex': `::ffff:${first}:${second}`,
    'mapped in full': `0:0:0:0:0:ffff:${first}:${second}`,
    'IPv4-compatible': `::${first}:${second}`,
    translated: `::ffff:0:${first}:${second}`,
    NAT64: `64:ff9b::${first}:${second}`,
    'local NAT64': `64:ff9b:1::${first}:${second}`,
    '6to4': `2002:${first}:${second}::1`,
    Teredo: `2001:0:${first}:${second}::${hex(255 - a, 255 - b)}:${hex(255 - c, 255 - d)}`,
  }
}

const ALIBABA_METADATA = '100.100.100.200'
const ALWAYS_REFUSED_V4 = [
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
const LOCAL_V4 = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']

for (const cidr of ALWAYS_REFUSED_V4) {
  test(`no address of ${cidr} is connected to in any mode or spelling, whatever is allowed`, () => {
    fc.assert(
      fc.property(within(cidr), v4 => {
        // Its IPv4-compatible form is ::1.
        fc.pre(v4 !== '0.0.0.1')
        for (const [mode, policy] of Object.entries(POLICIES))
          for (const [how, address] of Object.entries(spellings(v4)))
            assert.equal(typeof policy(address), 'string', `${how} ${address} in ${mode}`)
      }),
    )
  })
}

test('an address of our own network is refused in live mode in every spelling', () => {
  fc.assert(
    fc.property(fc.oneof(...LOCAL_V4.map(within)), v4 => {
      for (const [how, address] of Object.entries(spellings(v4)))
        assert.equal(typeof live(address), 'string', `${how} ${address}`)
    }),
  )
  for (const v6 of ['::1', 'fc00::1', 'fd12:3456::1']) assert.equal(typeof live(v6), 'string', v6)
})

test('a sandbox connects to its own machine and network', () => {
  fc.assert(
    fc.property(
      fc.oneof(...LOCAL_V4.map(within)).filter(v4 => v4 !== ALIBABA_METADATA),
      v4 => {
        assert.equal(sandbox(v4), null)
        assert.equal(sandbox(`::ffff:${v4}`), null)
      },
    ),
  )
  for (const v6 of ['::1', 'fc00::1', 'fd12:3456::1']) assert.equal(sandbox(v6), null, v6)
})

test('what live mode is allowed is connected to, and nothing beside it', () => {
  const policy = addressPolicy({ mode: 'live', allowed: ['10.20.0.0/16', 'fd12::/16', '127.0.0.1/32'] })
  for (const allowed of ['10.20.0.1', '::ffff:10.20.255.255', 'fd12::9', '127.0.0.1'])
    assert.equal(policy(allowed), null, allowed)
  for (const refused of ['10.21.0.1', '10.19.255.255', 'fd13::9', '127.0.0.2', '::1', '192.168.0.1'])
    assert.equal(typeof policy(refused), 'string', refused)
})

test('public addresses are connected to in every mode, also through NAT64', () => {
  const publics = ['8.8.8.8', '13.126.0.1', '100.63.255.255', '100.128.0.1', '169.253.255.255', '172.32.0.1']
  const v6 = ['2606:4700::1111', '2a00:1450:4001::8a', '2404:6800:4009::200e', '64:ff9b::808:808']
  for (const [mode, policy] of Object.entries(POLICIES))
    for (const address of [...publics, ...v6]) assert.equal(policy(address), null, `${address} in ${mode}`)
})

test('IPv6 outside what is given out is refused in every mode', () => {
  const refused = [
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'e000::1',
  ]
  for (const [mode, policy] of Object.entries(POLICIES))
    for (const address of refused) assert.equal(typeof policy(address), 'string', `${address} in ${mode}`)
})

test('whatever is not an address is refused', () => {
  fc.assert(fc.property(fc.string(), text => typeof live(`${text}.`) === 'string'))
  for (const text of ['', 'localhost', 'example.com', '1.2.3.4.5', '::g'])
    assert.equal(sandbox(text), 'not an address')
})

test('a range that is none is an error at start', () => {
  for (const wrong of ['10.0.0.0', '10.0.0.0/33', 'localhost/8', '', '300.0.0.0/8'])
    assert.throws(() => addressPolicy({ mode: 'live', allowed: [wrong] }), /is not an address range/, wrong)
})

test('an address that the operator configured is connected to, whatever it is', () => {
  for (const address of ['127.0.0.1', '169.254.169.254', '::1', '8.8.8.8'])
    assert.equal(anyAddress(address), null)
})
