package bursar

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// APIError is a refusal by the API. errors.As finds it in each of the types below, which stand for one code.
type APIError struct {
	HTTPStatus int
	// Code of the error registry, such as HUE00000.
	Code    string
	Message string
	// RequestID is to be quoted when you ask for help.
	RequestID string
	// Fields are those to change.
	Fields []FieldProblem
	// Data that helps, such as the id of the resource in the way, as JSON.
	Data []byte
}

// FieldProblem names one field that has to change by its dotted path in the request.
type FieldProblem struct {
	Key     string `json:"key"`
	Message string `json:"message"`
}

func (e *APIError) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// As lets errors.As find the refusal in the type of its code.
func (e *APIError) As(target any) bool {
	found, ok := target.(**APIError)
	if ok {
		*found = e
	}
	return ok
}

type (
	// InvalidRequestError is HUE00000: the request has to change; Fields names what.
	InvalidRequestError struct{ *APIError }
	// NotFoundError is HUE00001: no such resource in this institute.
	NotFoundError struct{ *APIError }
	// ConflictError is HUE00002: the resource is in a state that does not allow it.
	ConflictError struct{ *APIError }
	// MethodNotAllowedError is HUE00003: the address does not serve this method.
	MethodNotAllowedError struct{ *APIError }
	// TooLargeError is HUE00004: the body or file is too large.
	TooLargeError struct{ *APIError }
	// AuthenticationError is AUE00000: no active API key, or the wrong secret.
	AuthenticationError struct{ *APIError }
	// PermissionError is AUE00001: the API key lacks the scope of the operation.
	PermissionError struct{ *APIError }
	// IdempotencyMismatchError is IDE00000: the Idempotency-Key was used for another request.
	IdempotencyMismatchError struct{ *APIError }
	// IdempotencyInProgressError is IDE00001: the first request with this Idempotency-Key is still running.
	IdempotencyInProgressError struct{ *APIError }
	// RateLimitError is RLE00000: too many requests for this API key.
	RateLimitError struct{ *APIError }
	// ServerError is SYE00000, or a code that this version does not know from 500 on: a fault of the server.
	ServerError struct{ *APIError }
	// UnavailableError is SYE00001: briefly unavailable.
	UnavailableError struct{ *APIError }
)

func refusalOf(what string, response *http.Response, read *envelope) error {
	refusal := &APIError{
		HTTPStatus: response.StatusCode,
		Code:       read.Code,
		Message:    read.Message,
		RequestID:  read.RequestID,
		Fields:     read.Errors,
		Data:       read.Data,
	}
	if refusal.Code == "" {
		refusal.Code = "UNKNOWN"
	}
	if refusal.Message == "" {
		refusal.Message = fmt.Sprintf("%s was answered by %d, not by Bursar", what, response.StatusCode)
	}
	if refusal.RequestID == "" {
		refusal.RequestID = response.Header.Get("X-Request-Id")
	}
	return typed(refusal)
}

func typed(refusal *APIError) error {
	switch refusal.Code {
	case "HUE00000":
		return &InvalidRequestError{refusal}
	case "HUE00001":
		return &NotFoundError{refusal}
	case "HUE00002":
		return &ConflictError{refusal}
	case "HUE00003":
		return &MethodNotAllowedError{refusal}
	case "HUE00004":
		return &TooLargeError{refusal}
	case "AUE00000":
		return &AuthenticationError{refusal}
	case "AUE00001":
		return &PermissionError{refusal}
	case "IDE00000":
		return &IdempotencyMismatchError{refusal}
	case "IDE00001":
		return &IdempotencyInProgressError{refusal}
	case "RLE00000":
		return &RateLimitError{refusal}
	case "SYE00000":
		return &ServerError{refusal}
	case "SYE00001":
		return &UnavailableError{refusal}
	}
	if refusal.HTTPStatus >= 500 {
		return &ServerError{refusal}
	}
	return refusal
}

// ConnectionError says that no answer came. With its Idempotency-Key the request may be sent again.
type ConnectionError struct {
	What string
	Err  error
}

func (e *ConnectionError) Error() string { return fmt.Sprintf("%s: no answer (%v)", e.What, e.Err) }
func (e *ConnectionError) Unwrap() error { return e.Err }

// TimeoutError says that no answer came in time.
type TimeoutError struct{ *ConnectionError }

func (e *TimeoutError) Error() string { return e.What + ": no answer in time" }

// As lets errors.As find the ConnectionError in it.
func (e *TimeoutError) As(target any) bool {
	found, ok := target.(**ConnectionError)
	if ok {
		*found = e.ConnectionError
	}
	return ok
}

// SignatureError refuses a webhook that is not from Bursar, was changed on the way, or is too old.
type SignatureError struct{ Reason string }

func (e *SignatureError) Error() string { return e.Reason }

// noAnswer is the caller's own error when the caller gave up.
func noAnswer(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	away := &ConnectionError{What: what, Err: err}
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &network) && network.Timeout()) {
		return &TimeoutError{away}
	}
	return away
}
