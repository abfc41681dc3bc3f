package bursar

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	standardPrefix = "whsec_"
	tolerance      = 5 * time.Minute
)

// WebhookEvent is an event of any code: codes are added. Typed gives it by the type of its code.
type WebhookEvent struct {
	EventID   string          `json:"event_id"`
	Event     string          `json:"event"`
	Timestamp int64           `json:"timestamp"`
	Version   string          `json:"version"`
	Sequence  int64           `json:"sequence"`
	Payload   json.RawMessage `json:"payload"`
	// Raw is the event as it came.
	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the event as it came.
func (e *WebhookEvent) UnmarshalJSON(data []byte) error {
	type plain WebhookEvent
	return keep(data, (*plain)(e), &e.Raw)
}

// VerifyWebhook gives the event of a delivery if it is genuine and at most five minutes old; a SignatureError otherwise.
//
// rawBody is the body as it came, byte for byte: one that was parsed and written again has another signature. Several
// secrets may be given while one is replaced by another.
func VerifyWebhook(rawBody []byte, header http.Header, secrets ...string) (*WebhookEvent, error) {
	return VerifyWebhookAt(time.Now(), rawBody, header, secrets...)
}

// VerifyWebhookAt does so as if it were another time.
func VerifyWebhookAt(now time.Time, rawBody []byte, header http.Header, secrets ...string) (*WebhookEvent, error) {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	signatures := header.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return nil, &SignatureError{"The headers webhook-id, webhook-timestamp and webhook-signature are needed."}
	}
	sentAt, err := strconv.ParseUint(timestamp, 10, 40)
	if age := now.Sub(time.Unix(int64(sentAt), 0)); err != nil || age > tolerance || age < -tolerance {
		return nil, &SignatureError{"The delivery is too old, or the clock of this machine is wrong."}
	}
	for _, secret := range secrets {
		signature, err := sign(secret, id+"."+timestamp+".", rawBody)
		if err != nil {
			return nil, err
		}
		expected := []byte("v1," + signature)
		for _, sent := range strings.Split(signatures, " ") {
			if hmac.Equal(expected, []byte(sent)) {
				event := &WebhookEvent{}
				if err := json.Unmarshal(rawBody, event); err != nil {
					return nil, err
				}
				return event, nil
			}
		}
	}
	return nil, &SignatureError{"The signature does not fit the body and the secret."}
}

func sign(secret, before string, body []byte) (string, error) {
	key := []byte(secret)
	if strings.HasPrefix(secret, standardPrefix) {
		var err error
		key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, standardPrefix))
		// An empty key would let everybody sign.
		if err != nil || len(key) == 0 {
			return "", &SignatureError{"The secret is not base64 behind whsec_."}
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(before))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
