<?php
// A webhook receiver on the PHP client. Run: SECRET_KEY=… php -S 127.0.0.1:3000 receiver.php
declare(strict_types=1);

use Bursar\SignatureError;
use Bursar\Webhooks;

require getenv('BURSAR_SDK') ?: 'vendor/autoload.php';

// Money that reaches the institute. A settled event books too: it may be the first of its payment to arrive.
const MONEY = [
    'pay.payment.debited', 'pay.payment.settled', 'flex.downpayment.debited', 'flex.downpayment.settled',
    'flex.instalment.debited', 'flex.instalment.settled',
];

function book(array &$books, array $event): void
{
    ['event' => $code, 'payload' => $payload] = $event;
    if (in_array($code, MONEY, true)) {
        ['id' => $id, 'amount' => $amount] = $payload['payment'];
        $row = ['type' => 'payment', 'payment_id' => $id, 'amount' => $amount, 'debit' => debitOf($payload)];
        $books['bookings'] += [$id => $row];
    } elseif ($code === 'refund.processed') {
        ['id' => $id, 'amount' => $amount] = $payload['refund'];
        $row = ['type' => 'refund', 'payment_id' => $payload['payment']['id'], 'amount' => $amount, 'debit' => ''];
        $books['bookings'] += [$id => $row];
    } elseif ($code === 'flex.instalment.bounced') {
        // At once or late: a debit of this attempt, booked before or after this event, does not count.
        $books['returned'][debitOf($payload)] = true;
    }
    // Codes are added: what we do not know is none of our business.
}

function debitOf(array $payload): string
{
    $instalment = $payload['instalment'] ?? null;
    return $instalment === null ? '' : "{$instalment['id']} {$instalment['attempt']}";
}

/**
 * Stands for three tables of your database and a transaction over them: the ids are their primary keys, so a repeat
 * changes nothing. The lock lets one request at a time read and write.
 */
function withBooks(callable $work): mixed
{
    $file = fopen(getenv('BOOKS') ?: sys_get_temp_dir() . '/receiver-books.json', 'c+');
    flock($file, LOCK_EX);
    $text = stream_get_contents($file);
    $books = $text === '' ? ['events' => [], 'bookings' => [], 'returned' => []] : json_decode($text, true);
    $answer = $work($books);
    rewind($file);
    ftruncate($file, 0);
    fwrite($file, json_encode($books));
    fclose($file);
    return $answer;
}

function answer(int $status, mixed $data = null): void
{
    http_response_code($status);
    header('content-type: application/json');
    echo json_encode(['status' => $status === 200 ? 'success' : 'error', 'data' => $data]);
}

if ($_SERVER['REQUEST_METHOD'] === 'GET') {
    // What stands in the books of a payment, for tests; in production behind a password, or absent.
    $wanted = $_GET['payment_id'] ?? '';
    $bookings = withBooks(function (array &$books) use ($wanted): array {
        $found = [];
        foreach ($books['bookings'] as $id => $row) {
            if ($row['payment_id'] === $wanted && !isset($books['returned'][$row['debit']])) {
                $found[] = ['type' => $row['type'], 'id' => $id, 'amount' => $row['amount']];
            }
        }
        return $found;
    });
    answer(200, ['bookings' => $bookings]);
    return;
}
// The body as it came: $_POST, or one that was parsed and written again, has another signature.
$rawBody = file_get_contents('php://input');
try {
    $event = Webhooks::verify($rawBody, getallheaders(), getenv('SECRET_KEY'));
} catch (SignatureError) {
    answer(401);
    return;
}
withBooks(function (array &$books) use ($event): void {
    if (isset($books['events'][$event['event_id']])) {
        return;
    }
    book($books, $event);
    $books['events'][$event['event_id']] = true;
});
answer(200);
