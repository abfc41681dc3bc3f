<?php

declare(strict_types=1);

namespace Bursar;

/** One HTTP exchange with its retries; Bursar.php has a method for each operation. */
class Client
{
    private const FIRST_WAIT_S = 0.5;
    private const LONGEST_WAIT_S = 8.0;
    /** Who is asked to wait longer than this is told so instead. */
    private const LONGEST_RETRY_AFTER_S = 60;
    private const RETRIED = [429, 502, 503, 504];

    private readonly string $baseUrl;
    private readonly string $authorization;

    /**
     * @param float $timeout seconds of one attempt
     * @param int $maxRetries attempts after the first
     */
    public function __construct(
        string $baseUrl,
        string $apiKey,
        #[\SensitiveParameter] string $apiSecret,
        private readonly float $timeout = 30.0,
        private readonly int $maxRetries = 4,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->authorization = 'Basic ' . base64_encode("$apiKey:$apiSecret");
    }

    /**
     * Any request, such as an operation that this version does not know; gives the whole envelope.
     *
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        ?string $idempotencyKey = null,
    ): array {
        $content = $body === null ? null : Json::write((object) $body);
        return $this->send($method, $path, $query, $content, 'application/json', $idempotencyKey)[0];
    }

    /** @param array<string, mixed> $query @param array<string, mixed>|null $body */
    protected function one(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        ?string $idempotencyKey = null,
    ): mixed {
        return $this->request($method, $path, $query, $body, $idempotencyKey)['data'] ?? null;
    }

    protected function file(string $method, string $path): string
    {
        return $this->send($method, $path, [], null, '', null, true)[1];
    }

    /** @param array<string, mixed> $query */
    protected function upload(
        string $path,
        array $query,
        string $file,
        string $contentType,
        ?string $idempotencyKey,
    ): mixed {
        return $this->send('POST', $path, $query, $file, $contentType, $idempotencyKey)[0]['data'] ?? null;
    }

    /** @param array<string, mixed> $query */
    protected function list(string $path, array $query): ItemList
    {
        return new ItemList(fn (array $cursor): array => $this->request('GET', $path, [...$query, ...$cursor]));
    }

    /**
     * @param array<string, mixed> $query
     * @return array{array<string, mixed>, string}
     */
    private function send(
        string $method,
        string $path,
        array $query,
        ?string $content,
        string $contentType,
        ?string $idempotencyKey,
        bool $isFile = false,
    ): array {
        $headers = ["Authorization: $this->authorization", 'Accept: ' . ($isFile ? '*/*' : 'application/json')];
        if ($method !== 'GET') {
            // Kept over all retries: nothing is done twice.
            $headers[] = 'Idempotency-Key: ' . ($idempotencyKey ?? bin2hex(random_bytes(16)));
        }
        if ($content !== null) {
            $headers[] = "Content-Type: $contentType";
        }
        $sent = http_build_query(array_filter($query, static fn (mixed $value): bool => $value !== null));
        $url = $this->baseUrl . $path . ($sent === '' ? '' : "?$sent");
        for ($attempt = 0; ; $attempt++) {
            [$status, $received, $body] = $this->exchange($method, $url, $headers, $content);
            $error = $this->errorOf("$method $path", $status, $received, $body, $isFile);
            if (!$error instanceof BursarError) {
                return [$error, $body];
            }
            $wait = $attempt < $this->maxRetries ? $this->waitBefore($error, $attempt, $received) : null;
            if ($wait === null) {
                throw $error;
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    /**
     * Status 0: there was no answer; 1: not in time.
     *
     * @param list<string> $headers
     * @return array{int, array<string, string>, string}
     */
    private function exchange(string $method, string $url, array $headers, ?string $content): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $headers,
            'content' => $content ?? '',
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
        ]]);
        $started = microtime(true);
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) {
            return [microtime(true) - $started >= $this->timeout ? 1 : 0, [], error_get_last()['message'] ?? ''];
        }
        $body = (string) stream_get_contents($stream);
        $meta = stream_get_meta_data($stream);
        fclose($stream);
        [$status, $received] = self::readHead($meta['wrapper_data'] ?? []);
        $isCut = isset($received['content-length']) && strlen($body) < (int) $received['content-length'];
        return $meta['timed_out'] || $isCut || $status === 0 ? [$meta['timed_out'] ? 1 : 0, [], ''] : [$status, $received, $body];
    }

    /**
     * @param list<string> $lines
     * @return array{int, array<string, string>}
     */
    private static function readHead(array $lines): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('#^HTTP/[\d.]+ (\d{3})#', $line, $found) === 1) {
                $status = (int) $found[1];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }
        return [$status, $headers];
    }

    /**
     * The envelope of a success, or the error.
     *
     * @param array<string, string> $headers
     * @return array<string, mixed>|BursarError
     */
    private function errorOf(string $what, int $status, array $headers, string $body, bool $isFile): array|BursarError
    {
        if ($status <= 1) {
            return $status === 1 ? new TimeoutError("$what: no answer in time") : new ConnectionError("$what: no answer");
        }
        $isSuccess = $status >= 200 && $status < 300;
        if ($isSuccess && $isFile) {
            return [];
        }
        try {
            $envelope = Json::parse($body);
        } catch (\JsonException) {
            $envelope = [];
        }
        $envelope = is_array($envelope) ? $envelope : [];
        if ($isSuccess && ($envelope['status'] ?? null) === 'success') {
            return $envelope;
        }
        $code = (string) ($envelope['code'] ?? 'UNKNOWN');
        $class = ApiError::classOf($code, $status);
        return new $class(
            $envelope['message'] ?? "$what was answered by $status, not by Bursar",
            $status,
            $code,
            $envelope['request_id'] ?? $headers['x-request-id'] ?? null,
            $envelope['errors'] ?? [],
            $envelope['data'] ?? [],
        );
    }

    /**
     * Null: it is not tried again, as no refusal is. The wait doubles, with jitter, so that many clients do not come
     * back at once.
     *
     * @param array<string, string> $headers
     */
    private function waitBefore(BursarError $error, int $attempt, array $headers): ?float
    {
        $isRetried = !$error instanceof ApiError
            || in_array($error->httpStatus, self::RETRIED, true)
            || $error->errorCode === 'IDE00001';
        $asked = $headers['retry-after'] ?? '';
        $retryAfter = ctype_digit($asked) ? (int) $asked : null;
        if (!$isRetried || ($retryAfter !== null && $retryAfter > self::LONGEST_RETRY_AFTER_S)) {
            return null;
        }
        $longest = min(self::LONGEST_WAIT_S, self::FIRST_WAIT_S * 2 ** $attempt);
        return ($retryAfter ?? $longest / 2) + mt_rand() / mt_getrandmax() * $longest / 2;
    }
}
