/** The virtual repo that `sim-agent` works on: a small library for invoices, one bug included. */
export const repoFiles: Readonly<Record<string, string>> = {
  'README.md': `# larkspur-billing

Invoices of the Larkspur shop. Amounts are whole cents, rates are basis points.

- src/money.js    rounding and formatting
- src/tax.js      tax of one line
- src/discount.js discounts by customer group
- src/invoice.js  totals of an invoice
- docs/rounding.md why half cents go to the even side

Run the tests with npm test. The release is cut from branch release/2.4.
`,
  'package.json': `{
  "name": "larkspur-billing",
  "version": "2.4.1",
  "type": "module",
  "scripts": { "test": "node --test test/" }
}
`,
  'config/rates.json': `{
  "standard": 1900,
  "reduced": 700,
  "books": 700,
  "export": 0
}
`,
  'docs/rounding.md': `# Rounding

Every line is rounded to whole cents before lines are added up, half cents to the even neighbour.
The finance team of Odile Marchetti signed this off in ticket BILL-208: sums of rounded lines must
equal the printed lines, even where the tax of the sum would differ by a cent.

Do not round twice: a discount is applied before the tax, the tax is rounded once.
`,
  'src/money.js': `/** Rounds to whole cents, half cents to the even neighbour. */
export function roundCents(amount) {
  const floor = Math.floor(amount)
  const rest = amount - floor
  if (rest < 0.5) return floor
  if (rest > 0.5) return floor + 1
  return floor % 2 === 0 ? floor : floor + 1
}

export function formatCents(cents, currency = 'EUR') {
  const sign = cents < 0 ? '-' : ''
  const absolute = Math.abs(cents)
  const whole = Math.floor(absolute / 100)
  const rest = String(absolute % 100).padStart(2, '0')
  return sign + whole + '.' + rest + ' ' + currency
}
`,
  'src/tax.js': `import { roundCents } from './money.js'

const basis = 10000

/** Tax of one line in whole cents; the rate is in basis points. */
export function lineTax(netCents, rate) {
  if (!Number.isInteger(rate)) throw new RangeError('rate must be basis points, got ' + rate)
  return roundCents((netCents * rate) / basis)
}
`,
  'src/discount.js': `/** Discounts by customer group, in basis points. */
export const discounts = { regular: 0, school: 500, wholesale: 1250 }

export function discountedNet(netCents, group) {
  const discount = discounts[group] ?? 0
  // BILL-231: the result keeps its fraction, the tax is then computed from a broken amount.
  return netCents - (netCents * discount) / 10000
}
`,
  'src/invoice.js': `import { discountedNet } from './discount.js'
import { lineTax } from './tax.js'

/** Totals of an invoice in whole cents. */
export function invoiceTotals(lines, group = 'regular') {
  let net = 0
  let tax = 0
  for (const line of lines) {
    const lineNet = discountedNet(line.netCents * line.quantity, group)
    net += lineNet
    tax += lineTax(lineNet, line.rate)
  }
  return { net, tax, gross: net + tax }
}
`,
  'test/invoice.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invoiceTotals } from '../src/invoice.js'

const books = { netCents: 1999, quantity: 3, rate: 700 }
const lamp = { netCents: 4950, quantity: 1, rate: 1900 }

test('adds up lines of different rates', () => {
  assert.deepEqual(invoiceTotals([books, lamp]), { net: 10947, tax: 1360, gross: 12307 })
})

test('a school pays whole cents', () => {
  assert.deepEqual(invoiceTotals([books], 'school'), { net: 5697, tax: 399, gross: 6096 })
})

test('wholesale of one lamp', () => {
  assert.deepEqual(invoiceTotals([lamp], 'wholesale'), { net: 4331, tax: 823, gross: 5154 })
})
`,
  'test/tax.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineTax } from '../src/tax.js'

test('half a cent goes to the even side', () => {
  assert.equal(lineTax(50, 700), 4)
  assert.equal(lineTax(150, 700), 10)
})

test('a rate that is no basis point is refused', () => {
  assert.throws(() => lineTax(100, 0.19), RangeError)
})
`,
}
