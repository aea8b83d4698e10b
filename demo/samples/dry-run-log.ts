const services = ['gateway', 'catalog', 'ledger', 'search', 'mailer', 'images', 'worker', 'portal']

const rows = 88
const secondsAStep = 26

/** A log of the dry run, pasted in one message: about 2,800 tokens, nearly all of them noise. */
export const dryRunLog = [
  'And this is the log of the dry run. It took 38 minutes in the end:',
  '',
  '```',
  ...Array.from({ length: rows }, (_, index) => logLine(index)),
  '```',
].join('\n')

function logLine(index: number): string {
  const service = services[index % services.length]
  const minute = String(Math.floor((index * secondsAStep) / 60)).padStart(2, '0')
  const second = String((index * secondsAStep) % 60).padStart(2, '0')
  const stamp = `21:${minute}:${second}`
  if (index === 29)
    return `${stamp} ERROR ${service} checksum of table orders_2019 differs, row 88213; copied again`
  return `${stamp} INFO  ${service} step ${index + 1}/${rows} copied ${(index * 7919) % 9000} rows in ${(index * 37) % 900} ms, lag ${(index * 13) % 200} ms, retries 0`
}
