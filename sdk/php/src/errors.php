<?php

declare(strict_types=1);

namespace Bursar;

/** Everything that this package throws. */
class BursarError extends \RuntimeException
{
}

/** No answer: the connection failed or was cut. With its Idempotency-Key the request may be sent again. */
class ConnectionError extends BursarError
{
}

/** No answer in time. */
class TimeoutError extends ConnectionError
{
}

/** A webhook that is not from Bursar, was changed on the way, or is too old. */
class SignatureError extends BursarError
{
}

/** The API refused the request. */
class ApiError extends BursarError
{
    /**
     * @param string $errorCode a code of the error registry, such as HUE00000
     * @param string|null $requestId quote it when you ask for help
     * @param list<array{key: string, message: string}> $fields the fields to change
     * @param array<string, string> $data data that helps, such as the id of the resource in the way
     */
    final public function __construct(
        string $message,
        public readonly int $httpStatus,
        public readonly string $errorCode,
        public readonly ?string $requestId = null,
        public readonly array $fields = [],
        public readonly array $data = [],
    ) {
        parent::__construct($message);
    }

    /**
     * The class of a code; one that this version does not know is an ApiError, or a ServerError from 500 on.
     *
     * @return class-string<ApiError>
     */
    public static function classOf(string $code, int $httpStatus): string
    {
        return match ($code) {
            'HUE00000' => InvalidRequestError::class,
            'AUE00000' => AuthenticationError::class,
            'AUE00001' => PermissionError::class,
            'HUE00001' => NotFoundError::class,
            'HUE00002' => ConflictError::class,
            'HUE00003' => MethodNotAllowedError::class,
            'HUE00004' => TooLargeError::class,
            'IDE00000' => IdempotencyMismatchError::class,
            'IDE00001' => IdempotencyInProgressError::class,
            'RLE00000' => RateLimitError::class,
            'SYE00000' => ServerError::class,
            'SYE00001' => UnavailableError::class,
            default => $httpStatus >= 500 ? ServerError::class : ApiError::class,
        };
    }
}

/** HUE00000: the request has to change; `fields` names what. */
class InvalidRequestError extends ApiError
{
}

/** AUE00000: no active API key, or the wrong secret. */
class AuthenticationError extends ApiError
{
}

/** AUE00001: the API key lacks the scope of the operation. */
class PermissionError extends ApiError
{
}

/** HUE00001: no such resource in this institute. */
class NotFoundError extends ApiError
{
}

/** HUE00002: the resource is in a state that does not allow it. */
class ConflictError extends ApiError
{
}

/** HUE00003: the address does not serve this method. */
class MethodNotAllowedError extends ApiError
{
}

/** HUE00004: the body or file is too large. */
class TooLargeError extends ApiError
{
}

/** IDE00000: the Idempotency-Key was used for another request. */
class IdempotencyMismatchError extends ApiError
{
}

/** IDE00001: the first request with this Idempotency-Key is still running. */
class IdempotencyInProgressError extends ApiError
{
}

/** RLE00000: too many requests for this API key. */
class RateLimitError extends ApiError
{
}

/** SYE00000: a fault of the server. */
class ServerError extends ApiError
{
}

/** SYE00001: briefly unavailable. */
class UnavailableError extends ServerError
{
}
