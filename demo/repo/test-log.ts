/** Suites whose tests pass; they make the log as long and as dull as a real one. */
const passingSuites = [
  'money',
  'tax',
  'rates',
  'currency',
  'address',
  'numbering',
  'archive',
  'export',
]

const passingTestsEach = 9

const failures = `FAIL test/invoice.test.js > a school pays whole cents
  AssertionError: Expected values to be strictly deep-equal:
    expected: { net: 5697, tax: 399, gross: 6096 }
    received: { net: 5697.15, tax: 399, gross: 6096.15 }
      at discountedNet (src/discount.js:7:3)
      at invoiceTotals (src/invoice.js:9:21)

FAIL test/invoice.test.js > wholesale of one lamp
  AssertionError: Expected values to be strictly deep-equal:
    expected: { net: 4331, tax: 823, gross: 5154 }
    received: { net: 4331.25, tax: 823, gross: 5154.25 }
      at discountedNet (src/discount.js:7:3)
      at invoiceTotals (src/invoice.js:9:21)`

/** Gives back the log of a test run over the virtual repo: two failures among many passing tests. */
export function testLog(): string {
  const half = passingSuites.length / 2
  return [
    '> larkspur-billing@2.4.1 test',
    '> node --test test/',
    '',
    ...passingSuites.slice(0, half).flatMap(passingSuite),
    failures,
    '',
    ...passingSuites.slice(half).flatMap(passingSuite),
    '',
    `tests ${passingSuites.length * passingTestsEach + 3}  pass ${passingSuites.length * passingTestsEach + 1}  fail 2`,
    'duration 1.94 s',
  ].join('\n')
}

function passingSuite(suite: string, suiteIndex: number): readonly string[] {
  const lines = Array.from({ length: passingTestsEach }, (_, index) => {
    const milliseconds = ((suiteIndex * 7 + index * 13) % 29) + 1
    const heap = 41 + ((suiteIndex * 5 + index * 3) % 17)
    return `ok ${suite} / case ${index + 1} of ${passingTestsEach} (${milliseconds} ms, heap ${heap} MB, retries 0)`
  })
  return [`# suite ${suite}: setup done, fixtures loaded, worker pool warm`, ...lines, '']
}
